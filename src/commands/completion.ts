import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Start } from '../cli/commands.ts';
import type { Context } from '../context.ts';
import { Failure, systemCode, usage } from '../errors.ts';
import { document } from '../help/document.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { expectedOneOf } from '../text/nearest.ts';

/** The shells with completions, and the file of each in `completions/`. */
export const shells = { bash: 'chanlist.bash', zsh: '_chanlist', fish: 'chanlist.fish' } as const;
type Shell = keyof typeof shells;
export const shellNames = Object.keys(shells) as readonly Shell[];

export interface CompletionOptions {
  readonly shell: Shell;
}

/** Adds the argument and the help of `chanlist completion`; its flags are in the table of flags. */
export function register(command: Command, start: Start): void {
  command.argument('<shell>', shellNames.join(', '), shellName);
  document(
    command,
    [
      'Prints the completion script for a shell, also shipped in completions/. It completes commands, flags, formats, ' +
        'fields, stored profiles and files, without the network.',
    ],
    [
      ['bash: add this line to ~/.bashrc', 'eval "$(chanlist completion bash)"'],
      ['zsh: add this line to ~/.zshrc, after compinit', 'eval "$(chanlist completion zsh)"'],
      ['fish: run once', 'chanlist completion fish > ~/.config/fish/completions/chanlist.fish'],
    ],
  );
  command.action((shell: Shell) => start(run, { shell }));
}

function shellName(text: string): Shell {
  const shell = shellNames.find((name) => name === text);
  if (shell !== undefined) return shell;
  throw usage(`there is no completion for '${text}'`, expectedOneOf(text, shellNames));
}

/** The folder that the program was built into. */
declare const __dirname: string;

/** Prints the bytes of the completion script of a shell. */
export async function run({ shell }: CompletionOptions, context: Context): Promise<number> {
  let script: string;
  try {
    script = await readFile(`${__dirname}/../completions/${shells[shell]}`, 'utf8');
  } catch (error) {
    throw new Failure('failed', `the completion script cannot be read (${systemCode(error)})`, {
      hint: 'install chanlist again',
      cause: error,
    });
  }
  await new Stdout(context, new Stderr(context.stderr, { quiet: false, verbose: 0 })).write(script);
  return 0;
}
