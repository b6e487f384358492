import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  channelId,
  feedEntry,
  type SimulatedChannel,
  type SimulatedService,
  videoId,
  videos,
} from '../support/simulated-service.ts';

/** A command that writes files, and what it starts from. Pages have five entries. */
export interface FaultScenario {
  readonly name: string;
  readonly args: readonly string[];
  /** Credits that it costs without a fault. */
  readonly credits: number;
  /** Names of the files that it writes for the user. */
  readonly outputs: readonly string[];
  /** The command can be run again once all is done: it changes nothing, and is free. */
  readonly repeatable?: boolean;
  /** It prints entries, each at least once over all runs. */
  readonly prints?: boolean;
  /** A sample of it runs in the short tests. */
  readonly short?: boolean;
  prepare(given: Preparation): Promise<void>;
}

export interface Preparation {
  readonly service: SimulatedService;
  readonly channel: SimulatedChannel;
  readonly folder: string;
  /** Runs the program; throws unless it ends with this exit code. */
  run(args: readonly string[], exit?: number): Promise<void>;
}

const uploads = (...more: string[]): string[] => ['uploads', channelId('a'), ...more];
const one = ['--max-credits', '1'];
const add = (channel: SimulatedChannel, count: number): void => {
  const { length } = channel.list;
  channel.list.unshift(...videos(length, length + count));
};
/** An old, complete FILE; then so many new uploads. */
const exported =
  (file: string, count: number, more: readonly string[] = []) =>
  async ({ channel, run }: Preparation): Promise<void> => {
    await run(uploads('-o', file, ...more));
    add(channel, count);
  };

export const faultScenarios: readonly FaultScenario[] = [
  {
    name: 'an export',
    args: uploads('-o', 'a.ndjson'),
    credits: 3,
    repeatable: true,
    outputs: ['a.ndjson'],
    short: true,
    prepare: async () => {},
  },
  {
    name: 'an export with a bound per month, a summary and a mode of its own',
    args: uploads('-o', 'a.csv', '--max-credits', '100/month', '--summary', 'summary.json'),
    credits: 3,
    outputs: ['a.csv'],
    prepare: async ({ folder }) => await writeFile(join(folder, 'a.csv'), '', { mode: 0o640 }),
  },
  {
    name: 'a resumed export',
    args: uploads('-o', 'a.json'),
    credits: 2,
    repeatable: true,
    outputs: ['a.json'],
    prepare: async ({ run }) => await run(uploads('-o', 'a.json', ...one), 9),
  },
  {
    name: '--restart over an interrupted export',
    args: uploads('-o', 'a.ndjson', '--restart'),
    credits: 3,
    outputs: ['a.ndjson'],
    prepare: async ({ run }) => await run(uploads('-o', 'a.ndjson', ...one), 9),
  },
  {
    name: '--restart over FILE',
    args: uploads('-o', 'a.ndjson', '--restart'),
    credits: 4,
    outputs: ['a.ndjson'],
    short: true,
    prepare: exported('a.ndjson', 6),
  },
  {
    name: '--update',
    args: uploads('-o', 'a.ndjson', '--update'),
    credits: 1,
    outputs: ['a.ndjson'],
    repeatable: true,
    short: true,
    prepare: exported('a.ndjson', 3),
  },
  {
    name: '--update without news',
    args: uploads('-o', 'a.ndjson', '--update'),
    credits: 0,
    outputs: ['a.ndjson'],
    repeatable: true,
    prepare: exported('a.ndjson', 0),
  },
  {
    name: 'a resumed --update',
    args: uploads('-o', 'a.ndjson', '--update'),
    credits: 1,
    outputs: ['a.ndjson'],
    repeatable: true,
    prepare: async (given) => {
      await exported('a.ndjson', 8)(given);
      await given.run(uploads('-o', 'a.ndjson', '--update', ...one), 9);
    },
  },
  {
    name: '--update --print-new',
    args: uploads('-o', 'a.ndjson', '--update', '--print-new'),
    credits: 2,
    outputs: ['a.ndjson'],
    repeatable: true,
    prints: true,
    prepare: exported('a.ndjson', 6),
  },
  {
    name: '--output-dir',
    args: ['uploads', '@a', channelId('b'), '--output-dir', 'out', '--concurrency', '1'],
    credits: 5,
    outputs: [`out/${channelId('a')}.ndjson`, `out/${channelId('b')}.ndjson`],
    repeatable: true,
    prepare: async () => {},
  },
  {
    name: '--output-dir --update',
    args: ['uploads', '@a', channelId('b'), '--output-dir', 'out', '--concurrency', '1', '--update'],
    credits: 1,
    outputs: [`out/${channelId('a')}.ndjson`, `out/${channelId('b')}.ndjson`],
    repeatable: true,
    prepare: async ({ run, channel }) => {
      await run(['uploads', '@a', channelId('b'), '--output-dir', 'out']);
      add(channel, 2);
    },
  },
  {
    name: 'search -o',
    args: ['search', channelId('a'), 'Title', '-o', 'found.json'],
    credits: 1,
    outputs: ['found.json'],
    prepare: async ({ folder }) => await writeFile(join(folder, 'found.json'), '{"results":[]}\n'),
  },
  {
    name: 'latest --seen',
    args: ['latest', channelId('a'), '--seen', 'seen.txt'],
    credits: 0,
    outputs: ['seen.txt'],
    repeatable: true,
    prints: true,
    prepare: async ({ run, channel }) => {
      await run(['latest', channelId('a'), '--seen', 'seen.txt']);
      channel.feed = [feedEntry(videoId(13)), feedEntry(videoId(12)), feedEntry(videoId(11))];
    },
  },
];
