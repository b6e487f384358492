import { latestSize, operations } from '../api/contract.ts';
import { shortCost } from '../help/cost.ts';
import { topicNames } from '../help/topic-names.ts';
import type { CommandFile } from './command.ts';
import { allFlags, type SharedFlag } from './shared-flags.ts';

/** A row of the table of commands. */
export interface CommandRow {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** Heading in the help of the program. */
  readonly group: string;
  /** The shared flags that it takes, or that its action of this name takes; '': before an action. */
  flags(action: string): readonly SharedFlag[];
  load(): Promise<CommandFile>;
}

const account = ['profile', 'baseUrl', 'namespace', 'keyFile'] as const;
const network = ['timeout', 'retries', 'maxWait'] as const;
const formats = ['format', 'json', 'ndjson'] as const;
const messages = ['color', 'quiet', 'verbose'] as const;
const actionFlags: Readonly<Record<string, readonly SharedFlag[]>> = {
  login: [...account, ...network, ...messages],
  status: [...account, ...formats, ...network, ...messages],
  list: [...formats, ...messages],
  switch: ['profile', ...messages],
  logout: ['profile', ...messages],
};
const lists = 'Channels and playlists:';
const others = 'Account and program:';

/** The commands, in the order of the help. Their files are loaded only when they are called. */
export const commands: readonly CommandRow[] = [
  {
    name: 'resolve',
    usage: '<channel...>',
    summary: `handle, URL or ID -> canonical ID (${shortCost(operations.resolve)})`,
    group: lists,
    flags: () => allFlags,
    load: () => import('../commands/resolve.ts'),
  },
  {
    name: 'search',
    usage: '<channel> <query...>',
    summary: `videos inside one channel (${shortCost(operations.search)})`,
    group: lists,
    flags: () => allFlags,
    load: () => import('../commands/search.ts'),
  },
  {
    name: 'uploads',
    usage: '<channel...>',
    summary: `every upload (${shortCost(operations.uploads)})`,
    group: lists,
    flags: () => allFlags,
    load: () => import('../commands/uploads.ts'),
  },
  {
    name: 'latest',
    usage: '<channel...>',
    summary: `the latest ${latestSize} (${shortCost(operations.latest)})`,
    group: lists,
    flags: () => allFlags,
    load: () => import('../commands/latest.ts'),
  },
  {
    name: 'playlist',
    usage: '<playlist...>',
    summary: `every video of a public playlist (${shortCost(operations.playlist)})`,
    group: lists,
    flags: () => allFlags,
    load: () => import('../commands/playlist.ts'),
  },
  {
    name: 'credits',
    usage: '',
    summary: 'what was spent, from the local ledger (free, offline)',
    group: others,
    flags: () => ['json', ...messages],
    load: () => import('../commands/credits.ts'),
  },
  {
    name: 'auth',
    usage: '<action>',
    summary: 'login, status, list, switch, logout',
    group: others,
    flags: (action) => actionFlags[action] ?? allFlags,
    load: () => import('../commands/auth.ts'),
  },
  {
    name: 'serve',
    usage: '',
    summary: 'the service itself, locally: the sandbox',
    group: others,
    flags: () => [],
    load: () => import('../commands/serve.ts'),
  },
  {
    name: 'completion',
    usage: '<shell>',
    summary: 'print the completion script for bash, zsh or fish',
    group: others,
    flags: () => [],
    load: () => import('../commands/completion.ts'),
  },
  {
    name: 'help',
    usage: '[command | topic]',
    summary: `help for a command, or ${topicNames.join(', ')}`,
    group: others,
    flags: () => [],
    load: () => import('../commands/help.ts'),
  },
];
