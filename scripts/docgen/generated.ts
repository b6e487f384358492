import { shells } from '../../src/commands/completion.ts';
import { bashCompletion } from './completion-bash.ts';
import { fishCompletion } from './completion-fish.ts';
import { zshCompletion } from './completion-zsh.ts';
import { manPage as manPageOf } from './man.ts';
import { allNodes } from './tree.ts';

const nodes = await allNodes();

/** The completion scripts of the repository: path from its root, and text. */
export const completions: readonly (readonly [path: string, text: string])[] = [
  [`completions/${shells.bash}`, bashCompletion(nodes)],
  [`completions/${shells.zsh}`, zshCompletion(nodes)],
  [`completions/${shells.fish}`, fishCompletion(nodes)],
];

/** The manual page, which the build puts into `dist`. */
export const manPage: string = manPageOf(nodes);
