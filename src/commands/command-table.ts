import { type CommandRow, rowUnder } from '../cli/command-module.ts';
import { shortCost } from '../help/blocks.ts';
import { operations } from '../service/contract.ts';

const list = rowUnder('Channels and playlists:');
const exported = rowUnder('Exports:');
const other = rowUnder('Account and program:');

/** The commands, in the order of the help. The file of a command is loaded only when the command is called. */
export const commands: readonly CommandRow[] = [
  ...Object.values(operations).map((operation) => {
    const { name, reference, summary } = operation;
    const args = name === 'search' ? '<channel> <query...>' : `<${reference}...>`;
    const load = async () => (await import('./operations.ts'))[name];
    return list(`${name} ${args}`, `${summary} (${shortCost(operation)})`, load);
  }),
  exported('show <file...>', 'print ndjson files in any format (free)', () => import('./show.ts')),
  exported('check <file|folder...>', 'find incomplete and stale archives (free)', () => import('./check.ts')),
  other('credits', 'print what was spent on this machine (free)', () => import('./credits.ts')),
  other('auth <action>', 'manage stored accounts', () => import('./auth.ts')),
  other('serve', 'run the service itself locally: the sandbox', () => import('./serve.ts')),
  other('completion <shell>', 'print the completions for bash, zsh or fish', () => import('./completion.ts')),
  other('help [command | topic]', 'print help on a command or a topic', () => import('./help.ts')),
];
