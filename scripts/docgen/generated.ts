import { shells } from '../../src/commands/completion.ts';
import { bashCompletion } from './completion-bash.ts';
import { fishCompletion } from './completion-fish.ts';
import { zshCompletion } from './completion-zsh.ts';
import { manPage } from './man.ts';
import { allNodes } from './tree.ts';

/** The generated files of the repository: path from its root, and text. */
export async function generatedFiles(): Promise<(readonly [path: string, text: string])[]> {
  const nodes = await allNodes();
  return [
    [`completions/${shells.bash}`, bashCompletion(nodes)],
    [`completions/${shells.zsh}`, zshCompletion(nodes)],
    [`completions/${shells.fish}`, fishCompletion(nodes)],
    ['man/chanlist.1', manPage(nodes)],
  ];
}
