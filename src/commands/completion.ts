import { readFile } from 'node:fs/promises';
import type { Argument, Example, RunCommand } from '../cli/command-module.ts';
import { oneOf } from '../cli/flag.ts';

/** The shells with completions, and the file of each in `completions/`. */
export const shells = { bash: 'chanlist.bash', zsh: '_chanlist', fish: 'chanlist.fish' } as const;
export const shellNames = Object.keys(shells) as readonly (keyof typeof shells)[];

export const args: readonly Argument[] = [['shell', '<shell>', shellNames.join(', ')]];

export const about = [
  'Prints the completion script for a shell, also shipped in completions/. It completes commands, flags, formats, ' +
    'fields and files, without the network.',
];

export const examples: readonly Example[] = [
  ['bash: add this line to ~/.bashrc', 'eval "$(chanlist completion bash)"'],
  ['zsh: add this line to ~/.zshrc, after compinit', 'eval "$(chanlist completion zsh)"'],
  ['fish: run once', 'chanlist completion fish > ~/.config/fish/completions/chanlist.fish'],
];

/** The folder that the program was built into. */
declare const __dirname: string;

export const run: RunCommand<{ readonly shell: string }> = async ({ shell }, { stdout }) => {
  const file = shells[oneOf(shellNames)(shell, 'the shell')];
  const script = await readFile(`${__dirname}/../completions/${file}`, 'utf8');
  await stdout.write(script);
  return 0;
};
