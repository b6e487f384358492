import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { shortCost } from '../help/document.ts';
import {
  isPaged,
  type OperationName,
  operationNames,
  operations,
  type PagedName,
} from '../service/contract.ts';

/** The function of a command and the options that the arguments give it. */
export interface Task<Options = unknown> {
  readonly run: (options: Options, context: Context) => Promise<number>;
  readonly options: Options;
}

/** Receives the function and the options of a command once its arguments are read. */
export type Start = <Options>(run: Task<Options>['run'], options: Options) => void;

/** The exports of a command file besides its `run`. */
export interface CommandFile {
  /** Adds arguments, actions, examples and the call of `start`. Flags come from the table of flags. */
  register(command: Command, start: Start): void;
}

/** A row of the table of commands. */
export interface CommandRow {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** Heading in the help of the program. */
  readonly group: string;
  load(): Promise<CommandFile>;
}

/** The topics of the help that are not commands. */
export const topicNames = ['exit-codes', 'formats', 'environment'] as const;
export type TopicName = (typeof topicNames)[number];

const lists = 'Channels and playlists:';
const others = 'Account and program:';

/** The commands of the operations whose answers are not pages. */
const unpaged: Record<Exclude<OperationName, PagedName>, Pick<CommandRow, 'usage' | 'load'>> = {
  resolve: { usage: '<channel...>', load: () => import('../commands/resolve.ts') },
  search: { usage: '<channel> <query...>', load: () => import('../commands/search.ts') },
  latest: { usage: '<channel...>', load: () => import('../commands/latest.ts') },
};

function operationCommand(name: OperationName): CommandRow {
  const operation = operations[name];
  const summary = `${operation.summary} (${shortCost(operation)})`;
  if (!isPaged(name)) return { name, summary, group: lists, ...unpaged[name] };
  const usage = `<${operation.reference}...>`;
  return { name, usage, summary, group: lists, load: () => import('../commands/list.ts') };
}

/** The commands, in the order of the help. Their files are loaded only when they are called. */
export const commands: readonly CommandRow[] = [
  ...operationNames.map(operationCommand),
  {
    name: 'check',
    usage: '<file|folder...>',
    summary: 'check exports: complete and up to date? (free, offline)',
    group: lists,
    load: () => import('../commands/check.ts'),
  },
  {
    name: 'credits',
    usage: '',
    summary: 'print what was spent, from the local ledger (free, offline)',
    group: others,
    load: () => import('../commands/credits.ts'),
  },
  {
    name: 'auth',
    usage: '<action>',
    summary: 'manage stored accounts: login, status, list, switch, logout',
    group: others,
    load: () => import('../commands/auth.ts'),
  },
  {
    name: 'serve',
    usage: '',
    summary: 'run the service itself locally: the sandbox',
    group: others,
    load: () => import('../commands/serve.ts'),
  },
  {
    name: 'completion',
    usage: '<shell>',
    summary: 'print the completion script for bash, zsh or fish',
    group: others,
    load: () => import('../commands/completion.ts'),
  },
  {
    name: 'help',
    usage: '[command | topic]',
    summary: `print help for a command, or ${topicNames.join(', ')}`,
    group: others,
    load: () => import('../commands/help.ts'),
  },
];
