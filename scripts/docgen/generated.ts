import { shells } from '../../src/commands/completion.ts';
import { bashCompletion } from './completion-bash.ts';
import { fishCompletion } from './completion-fish.ts';
import { zshCompletion } from './completion-zsh.ts';
import { manPage } from './man.ts';
import { programTree } from './tree.ts';

/** The generated files of the repository: path from its root, and text. */
export async function generatedFiles(): Promise<(readonly [path: string, text: string])[]> {
  const tree = await programTree();
  return [
    [`completions/${shells.bash}`, bashCompletion(tree)],
    [`completions/${shells.zsh}`, zshCompletion(tree)],
    [`completions/${shells.fish}`, fishCompletion(tree)],
    ['man/chanlist.1', await manPage()],
  ];
}
