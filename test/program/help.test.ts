import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { allNodes } from '../../scripts/docgen/tree.ts';
import { longFlag } from '../../src/cli/flag.ts';
import { flagsOf, globalFlags, ownFlags } from '../../src/cli/flags.ts';
import { commands } from '../../src/commands/command-table.ts';
import { helpText } from '../../src/help/help-text.ts';
import { runHere as run } from '../support/command.ts';

const topics = ['flags', 'fields', 'reports', 'exit-codes', 'formats', 'environment'] as const;

/** Every command and action: `uploads`, `auth login`. */
const paths = (await allNodes()).map(({ path }) => path).filter(Boolean);

/** The help of a command, an action, a topic or (null) the program. */
const help = (name: string | null, columns = 80, color = false): Promise<string> =>
  helpText(name?.split(' ') ?? [], commands, { columns, color });

/** The terms of a topic under a heading, without commas. */
const termsOf = async (topic: (typeof topics)[number], heading: string): Promise<string> => {
  const [, text = ''] = (await help(topic, 1000)).split(`${heading}\n`);
  const rows = [...(text.split('\n\n')[0] ?? '').matchAll(/^ {2}(.*?) {2}/gm)];
  return rows.map(([, term = '']) => term.replaceAll(',', '')).join(' ');
};

test('the help of a command and that of the program say what it costs', async () => {
  const program = await help(null);
  for (const [name, price, cost] of [
    ['resolve', 'free', 'Free; the account needs at least 1 credit.'],
    ['latest', 'free', 'Free; the account needs at least 1 credit.'],
    ['search', '1 credit', 'Costs 1 credit; failed requests are free.'],
    ['uploads', '1 credit per page of about 100', 'Costs 1 credit per page of about 100; failed requests'],
    ['playlist', '1 credit per page', 'Costs 1 credit per page; failed requests are free.'],
  ] as const) {
    assert.ok((await help(name, 1000)).includes(cost), name);
    const row = program.split('\n').find((each) => each.startsWith(`  ${name} `));
    assert.ok(row?.endsWith(`(${price})`), row);
  }
});

test('a command has its flags and the main global ones, one line each, and names help flags for the rest', async () => {
  const main = ['--output', '--format', '--fields', '--max-credits', '--dry-run'];
  const service = ['--profile', '--base-url', '--namespace', '--key-file'];
  for (const path of paths) {
    const text = await help(path);
    const [, flags = ''] = text.split('\n\nFlags:\n');
    const rows = (flags.split('\n\n')[0] ?? '').trimEnd().split('\n');
    const names = rows.map((row) => /^ {2}(?:-\w, | {4})(--[\w-]+) .*\w/.exec(row)?.[1]);
    const taken = flagsOf(path).map(longFlag);
    // A bound means nothing where nothing is paid.
    const isFree = path === 'resolve' || path === 'latest';
    const mainFlags = main.filter((name) => !isFree || name !== '--max-credits');
    const explained = path === 'auth login' || path === 'serve' ? [...service, ...mainFlags] : mainFlags;
    const own = ownFlags.filter(({ commands }) => commands.includes(path));
    const shown = new Set(own.map(longFlag));
    for (const name of explained) if (taken.includes(name)) shown.add(name);
    assert.deepEqual(names, [...shown, '--help'], path);
    assert.equal(text.includes('\nOther flags: chanlist help flags\n'), shown.size < taken.length, path);
  }
  assert.ok((await help('uploads')).split('\n').length <= 41);
  assert.match(await help('latest'), /-f, --format <format> +print table, json, ndjson, csv or id$/m);
  assert.match(await help('check'), /-f, --format <format> +print table, json, ndjson or csv$/m);
  const serve = await help('serve');
  for (const kind of '400 to 599,reset,truncate,garbage,loop,expire,feed-404,feed-empty'.split(','))
    assert.match(serve, new RegExp(`^  ${kind} +\\w+ \\w+`, 'm'), kind);
});

test('help fits 40 to 200 columns, that of the program 24 lines; command lines stay whole, and fit 80', async () => {
  const copied = /^ {2}(?!# ).*chanlist |^Try it |^Usage: chanlist <command>/;
  for (const width of [40, 60, 80, 200])
    for (const name of [null, ...paths, ...topics])
      for (const line of (await help(name, width)).split('\n'))
        assert.ok(line.length <= Math.max(width, copied.test(line) ? 80 : 0), line);
  assert.ok((await help(null)).trimEnd().split('\n').length <= 24);
  assert.equal(await help('fields', 10), await help('fields', 40));
});

test('headings are bold where there is colour', async () => {
  for (const name of [null, ...paths, ...topics]) {
    const colored = await help(name, 80, true);
    assert.equal(stripVTControlCharacters(colored), await help(name));
    const bold = [...colored.matchAll(/\u001b\[1m(.*)\u001b\[22m\n/g)].map(([, text]) => text);
    assert.ok(bold.length > 0 && bold.every((text) => /^[A-Z].*:$/.test(text ?? '')), name ?? '');
  }
});

const video = 'videoId title channelId channelTitle channelHandle';
/** By topic and heading, the names that are explained. */
const contract: { readonly [Topic in (typeof topics)[number]]?: Readonly<Record<string, string>> } = {
  'exit-codes': { 'Exit codes:': '0 1 2 3 4 5 6 7 8 9 10 11 129 130 143' },
  formats: { 'Formats (-f, --format; --json and --ndjson for short):': 'table json ndjson csv id' },
  fields: {
    'Fields of resolve:': 'channel_id resolved_from',
    'Fields of uploads and playlist:': `${video} lengthText viewCountText thumbnails index`,
    'Not specified, but known to be sent by uploads and playlist:': 'publishedTimeText members_only',
    'Not specified, but known to be sent by search:': `type ${video} channelVerified lengthText viewCountText publishedTimeText hasCaptions thumbnails`,
    'Not specified, but known to be sent by latest:':
      'videoId title channelId author published updated link description thumbnail viewCount starRating',
    'Computed fields:': '_reference _seconds _views',
  },
  reports: {
    'Records of check:': 'file reference id entries missing newest checked whole problem',
    'Records of credits:': 'account month today total day command reference',
    'Records of auth list, and the object of auth status:':
      'active profile origin namespace max_credits last_four status store key_source',
    'Records of --dry-run (with -f json or ndjson):': 'reference method url cost',
    'The summary (--summary):':
      'command started seconds exit error credits requests retries counts references',
    'Each of its references:':
      'reference id file status entries new missing unlisted pages credits resumed continuation_token error exit',
  },
  environment: {
    'Environment variables:':
      'CHANLIST_PROFILE CHANLIST_BASE_URL CHANLIST_NAMESPACE CHANLIST_API_KEY CHANLIST_API_KEY_FILE ' +
      'CHANLIST_MAX_CREDITS CHANLIST_DEBUG NO_COLOR PAGER HTTPS_PROXY HTTP_PROXY ALL_PROXY NO_PROXY NODE_EXTRA_CA_CERTS ' +
      'XDG_CONFIG_HOME XDG_STATE_HOME',
  },
};

test('help on more words than a command has is refused', async () => {
  for (const words of ['uploads latest', 'auth login now', 'flags extra']) {
    const { exit, stderr } = await run(`help ${words}`);
    assert.deepEqual(
      [exit, stderr.includes(`there is no help on '${words}'; see: chanlist help `)],
      [2, true],
    );
  }
});

test('each topic explains every name of the contract, and no other', async () => {
  for (const topic of topics) {
    for (const [heading, names] of Object.entries(contract[topic] ?? {}))
      assert.equal(await termsOf(topic, heading), names, heading);
    assert.doesNotMatch(await help(topic), /^ {2}[\w@]+ *$/m, topic);
  }
  const order = / in this order: 129, 130, 143, 1, 3, 4, 2, 8, 7, 6, 9, 10, 5, 11\.$/m;
  assert.match(await help('exit-codes', 1000), order);
});

test('help environment has every variable that the program reads for its user', async () => {
  const named = (await termsOf('environment', 'Environment variables:')).split(' ');
  // Of the system, or kept from a library.
  const others = ['HOME', 'USERPROFILE', 'TERM', 'SNAP'];
  for (const { variable = 'NO_COLOR' } of globalFlags) assert.ok(named.includes(variable), variable);
  for (const file of await readdir('src', { recursive: true })) {
    if (!file.endsWith('.ts')) continue;
    const source = await readFile(join('src', file), 'utf8');
    for (const [, one, other = ''] of source.matchAll(/\benv\.([A-Z][A-Z_]+)\b|'(CHANLIST_[A-Z_]+)'/g))
      assert.ok([...named, ...others].includes(one ?? other), `${file} reads ${one ?? other}`);
  }
});

test('help and --help print the same on stdout, and end with 0', async () => {
  for (const line of ['help auth login', '--help auth login', 'auth login -h', 'help reports', '', 'help']) {
    const { exit, stdout, stderr } = await run(line === '' ? [] : line);
    const name = line.replace(/^-*help ?| -h$/g, '');
    assert.deepEqual([exit, stdout, stderr], [0, await help(name || null), ''], line);
  }
});
