import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  channelId,
  feedEntry,
  type SimulatedChannel,
  videoId,
  videos,
} from '../support/simulated-service.ts';

/** A command that writes files, and what it starts from: a channel of 12 entries, five on a page. */
export interface Scenario {
  readonly name: string;
  readonly args: readonly string[];
  /** Credits that it costs without a fault. */
  readonly credits: number;
  /** Names of the files that it writes for the user. */
  readonly outputs: readonly string[];
  /** The command can be run again once all is done: it changes nothing, and is free. */
  readonly isRepeatable: boolean;
  prepare(given: Preparation): Promise<void>;
}

export interface Preparation {
  readonly channel: SimulatedChannel;
  /** Runs the program in the working directory; throws unless it ends with this exit code. */
  run(args: readonly string[], exit?: number): Promise<void>;
}

const uploads = (...more: string[]): string[] => ['uploads', channelId('a'), ...more];
const one = ['--max-credits', '1'];
const add = (channel: SimulatedChannel, count: number): void => {
  const { length } = channel.list;
  channel.list.unshift(...videos(length, length + count));
};

/** What an export becomes, and the pages that it needs. */
const forms = {
  ndjson: { words: ['-o', 'a.ndjson'], pages: 3 },
  csv: { words: ['-o', 'a.csv'], pages: 3 },
  json: { words: ['-o', 'a.json'], pages: 3 },
  id: { words: ['-o', 'a.txt', '-f', 'id'], pages: 3 },
  '--fields': { words: ['-o', 'a.ndjson', '--fields', 'videoId,title'], pages: 3 },
  '--limit': { words: ['-o', 'a.ndjson', '-n', '8'], pages: 2 },
};

const exports = Object.entries(forms).flatMap(([form, { words, pages }]): Scenario[] => {
  const args = uploads(...words);
  const rest = { outputs: [words[1] ?? ''], isRepeatable: false };
  const interrupted = async ({ run }: Preparation): Promise<void> => await run([...args, ...one], 9);
  return [
    { ...rest, name: `export: ${form}`, args, credits: pages, prepare: async () => {} },
    { ...rest, name: `resumed export: ${form}`, args, credits: pages - 1, prepare: interrupted },
    {
      ...{ ...rest, name: `--restart over FILE: ${form}`, args: [...args, '--restart'], credits: pages },
      prepare: async ({ channel, run }) => {
        await run(args);
        add(channel, 3);
      },
    },
  ];
});

/** An archive, changed by others, and an update of it. */
const update = (
  name: string,
  credits: number,
  change: (given: Preparation) => void | Promise<void>,
  ...flags: readonly string[]
): Scenario => ({
  ...{ name, credits, args: uploads('-o', 'a.ndjson', '--update', ...flags), outputs: ['a.ndjson'] },
  isRepeatable: flags.length === 0,
  prepare: async (given) => {
    await given.run(uploads('-o', 'a.ndjson'));
    await change(given);
  },
});

const updates = [
  update('--update', 1, ({ channel }) => add(channel, 3)),
  update('--update without news', 0, () => {}),
  update('--update, a page without news', 1, ({ channel }) => {
    channel.feed = [feedEntry('never'), feedEntry(videoId(11))];
  }),
  update('resumed --update', 1, async ({ channel, run }) => {
    add(channel, 8);
    await run(uploads('-o', 'a.ndjson', '--update', ...one), 9);
  }),
  update('--update without a record', 1, ({ channel }) => {
    rmSync('.chanlist', { recursive: true });
    add(channel, 3);
  }),
  update('--update --all', 3, ({ channel }) => add(channel, 3), '--all'),
  update('--update --all that repairs', 3, () => appendFileSync('a.ndjson', '{"videoId":"a_\n'), '--all'),
];

const folder = (...more: string[]): string[] =>
  `uploads @a ${channelId('b')} --output-dir out --concurrency 1`.split(' ').concat(more);
const archives = [`out/${channelId('a')}.ndjson`, `out/${channelId('b')}.ndjson`];
const latest = ['latest', channelId('a'), '--seen', 'seen.txt'];

export const scenarios: readonly Scenario[] = [
  ...exports,
  ...updates,
  {
    ...{ name: '--output-dir', args: folder(), credits: 5, outputs: archives, isRepeatable: true },
    prepare: async () => {},
  },
  {
    ...{ name: '--output-dir --update', args: folder('--update'), credits: 1, outputs: archives },
    isRepeatable: true,
    prepare: async ({ run, channel }) => {
      await run(folder());
      add(channel, 2);
    },
  },
  {
    name: 'export with a bound per month and a summary',
    args: uploads('-o', 'a.csv', '--max-credits', '100/month', '--summary', 'summary.json'),
    ...{ credits: 3, outputs: ['a.csv'], isRepeatable: false },
    prepare: async () => writeFileSync('a.csv', ''),
  },
  {
    name: 'search -o',
    args: ['search', channelId('a'), 'Title', '-o', 'found.json'],
    ...{ credits: 1, outputs: ['found.json'], isRepeatable: false },
    prepare: async () => writeFileSync('found.json', '{"results":[]}\n'),
  },
  {
    ...{ name: 'latest --seen', args: latest, credits: 0, outputs: ['seen.txt'], isRepeatable: true },
    prepare: async ({ run, channel }) => {
      await run(latest);
      channel.feed = [feedEntry(videoId(13)), feedEntry(videoId(12)), feedEntry(videoId(11))];
    },
  },
];
