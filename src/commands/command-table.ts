import { type CommandRow, inGroup } from '../cli/command.ts';
import { shortCost, topicNames } from '../help/document.ts';
import { type OperationName, operations } from '../service/contract.ts';

const list = inGroup('Channels and playlists:');
const exported = inGroup('Exports:');
const other = inGroup('Account and program:');

const summaryOf = (name: OperationName): string =>
  `${operations[name].summary} (${shortCost(operations[name])})`;

/** The commands, in the order of the help. The file of each is loaded when it is called. */
export const commands: readonly CommandRow[] = [
  list('resolve <channel...>', summaryOf('resolve'), () => import('./resolve.ts')),
  list('search <channel> <query...>', summaryOf('search'), () => import('./search.ts')),
  list('uploads <channel...>', summaryOf('uploads'), () => import('./uploads.ts')),
  list('latest <channel...>', summaryOf('latest'), () => import('./latest.ts')),
  list('playlist <playlist...>', summaryOf('playlist'), () => import('./playlist.ts')),
  exported('show <file...>', 'print ndjson exports in any format (free)', () => import('./show.ts')),
  exported('check <file|folder...>', 'find incomplete and stale exports (free)', () => import('./check.ts')),
  other('credits', 'print the credits spent on this machine (free)', () => import('./credits.ts')),
  other('auth <action>', 'manage stored accounts', () => import('./auth.ts')),
  other('serve', 'run the service itself on this machine: the sandbox', () => import('./serve.ts')),
  other('completion <shell>', 'print a completion script: bash, zsh, fish', () => import('./completion.ts')),
  other(
    'help [command | topic]',
    `print help on a command or topic: ${topicNames.join(', ')}`,
    () => import('./help.ts'),
  ),
];
