/**
 * Measures the built program on this machine and prints a table: `npm run bench -- [PART…] [--quick]
 * [--node PATH] [--against FOLDER]`. Parts: start, stream, peers, night, check; without one, all. Each figure is a median; what is compared takes turns. `--against`: another version, built in its folder.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { inTurn, measured } from './measure.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    node: { type: 'string', default: process.execPath },
    against: { type: 'string' },
  },
});
const { quick, node } = values;
const folders = [join(import.meta.dirname, '..'), ...(values.against ? [resolve(values.against)] : [])];
const programs = folders.map((folder) => join(folder, 'bin/chanlist.js'));
const peer = (name) => join(import.meta.dirname, 'peers', name);
const folder = mkdtempSync(join(tmpdir(), 'chanlist-bench-'));
const file = (name) => join(folder, name);
const server = spawn(process.execPath, [join(import.meta.dirname, 'server.mjs')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const url = String(await once(server.stdout, 'data')).trim();

/** A home folder with a stored key, and nothing else of this machine. */
const profile = { baseUrl: url, namespace: 'media', key: 'sk_bench', verified: true };
mkdirSync(file('.config/chanlist'), { recursive: true });
const store = { version: 1, active: 'bench', profiles: { bench: profile } };
writeFileSync(file('.config/chanlist/config.json'), JSON.stringify(store), { mode: 0o600 });
const env = { PATH: process.env.PATH, HOME: folder, GH_TOKEN: 'sk_bench' };

const number = (value) => (value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0));
const print = (...cells) => console.log(`| ${cells.join(' | ')} |`);

/**
 * Measures rows in turn, each `[what, arguments, target, options]`, and prints them as multiples of a baseline.
 * `arguments`: a function of the program's number. `options`: those of this row instead of the group's.
 */
async function compare({ runs, metric = 'time', unit = 'ms', base, ...group }, rows) {
  const cases = rows.flatMap(([, args, , options]) => {
    const { out = null, isStart = false } = { ...group, ...options };
    return programs.map((program, at) => () => measured(node, [program, ...args(at)], env, out, isStart));
  });
  const [of, ...figures] = await inTurn([base, ...cases], quick ? 1 : runs, metric);
  for (const [at, [what, , target]] of rows.entries()) {
    const [here, there] = figures.slice(at * programs.length);
    const ratios = [number(here / of), target, values.against ? number(here / there) : ''];
    print(what, ...ratios, `${number(here)} ${unit}`, `${number(of)} ${unit}`);
  }
}

const pages = quick ? 100 : 1000;
const list =
  (count, ...more) =>
  () => ['uploads', `@pages-${count}`, ...more];
const bareLoop = (channel) => () => measured(node, [peer('bare-loop.mjs'), url, channel], env);

async function start() {
  const base = () => measured(node, [peer('empty.mjs')], env, null, true);
  const always =
    (...args) =>
    () =>
      args;
  await compare({ runs: 30, base, isStart: true }, [
    ['`--version`', always('--version'), '1.1'],
    ['`--help`', always('--help'), '1.7'],
    ['`resolve @x`', always('resolve', '@x'), '2.5'],
    ['`resolve @x`, as a table', always('resolve', '@x', '-f', 'table'), '2.7'],
  ]);
}

async function stream() {
  const out = file('out');
  await compare({ runs: 7, base: bareLoop(`@pages-${pages}`), out }, [
    [`${pages} pages, ndjson, to a file`, list(pages), '1.8'],
    ['the same, to a pipe', list(pages), '2.35', { out: null }],
    ['the same, csv', list(pages, '-f', 'csv'), ''],
    ['the same, two fields', list(pages, '--fields', 'videoId,title'), ''],
    ['the same, as a table (150 rows per page)', list(pages, '-f', 'table'), ''],
  ]);
  await compare({ runs: 3, base: bareLoop('@pages-200-20ms'), out }, [
    ['200 pages, 20 ms per page', list('200-20ms'), '1.1'],
  ]);
  const toFile = (at) => {
    // Another version cannot read what this one keeps.
    mkdirSync(file(`out-${at}`), { recursive: true });
    return [...list(pages)(), '-o', file(`out-${at}/a.ndjson`), '--restart'];
  };
  const base = () => measured(node, [programs[0], ...list(pages)()], env, out);
  await compare({ runs: 7, metric: 'cpu', base }, [
    ['processor time of `-o FILE` against stdout', toFile, '1.5'],
  ]);
  for (const format of ['ndjson', 'csv'])
    await compare(
      {
        ...{ runs: 3, metric: 'peak', unit: 'MB', out },
        base: () => measured(node, [programs[0], ...list(pages, '-f', format)()], env, out),
      },
      [
        [
          `peak memory, ${format}: ${10 * pages} pages against ${pages}`,
          list(10 * pages, '-f', format),
          '1.1',
        ],
      ],
    );
}

async function peers() {
  const base = async () => {
    const { time } = await measured(node, [programs[0], ...list(100)()], env);
    return { time };
  };
  const address = `${url}/api/v2/media/channel/videos?channel=@pages-100`;
  for (const [what, target, ...command] of [
    ['curl and jq in a loop', '20', 'sh', peer('curl-jq.sh'), url, '@pages-100'],
    ['gh api --paginate --jq', '2', 'gh', 'api', '--paginate', '--jq', '.results[]', address],
  ]) {
    if (spawnSync(command[0], ['--version']).error) continue;
    const [of, time] = await inTurn([base, () => measured(null, command, env)], 1, 'time');
    print(
      `100 pages with ${what}, times as long`,
      number(time / of),
      `>= ${target}`,
      '',
      `${number(time)} ms`,
      `${number(of)} ms`,
    );
  }
}

/** A night of `--output-dir --update` without new uploads: after a first run, and one that sees each feed once. */
async function night() {
  const channels = quick ? 100 : 1000;
  writeFileSync(file('refs.txt'), Array.from({ length: channels }, (_, n) => `@c${n}\n`).join(''));
  for (const [at, program] of programs.entries()) {
    const run = [program, 'uploads', '--from', file('refs.txt'), '--output-dir', file(`exports-${at}`)];
    await measured(node, run, env);
    await measured(node, [...run, '--update'], env);
    const { cpu, peak } = await measured(node, [...run, '--update', '--summary', file('summary')], env);
    const { requests } = JSON.parse(readFileSync(file('summary'), 'utf8'));
    const what = `${at === 0 ? '' : 'the other version: '}a night of ${channels} unchanged channels: requests each`;
    print(
      what,
      number(requests / channels),
      '1.00',
      '',
      `${number(cpu / channels)} ms each`,
      `${number(peak)} MB`,
    );
  }
}

async function check() {
  const entries = quick ? 10_000 : 1_000_000;
  const path = file('UCbenchbenchbenchbenchbe.ndjson');
  const line = (n) =>
    `{"videoId":"${String(n).padStart(11, '0')}","title":"Episode ${n}: a talk about the weather","channelId":"UCbenchbenchbenchbenchbe","lengthText":"12:34","viewCountText":"3.2M views","index":"${n}"}\n`;
  for (let at = 0; at < entries; at += 10_000)
    writeFileSync(path, Array.from({ length: 10_000 }, (_, n) => line(at + n)).join(''), { flag: 'a' });
  const { size, mtimeMs } = statSync(path);
  const id = 'UCbenchbenchbenchbenchbe';
  const none = { checked: null, missing: null, feed: null, missingIds: {}, withoutFeed: null, failure: null };
  const record = { version: 3, reference: id, id, size, mtime: mtimeMs, entries, checks: none };
  mkdirSync(file('.chanlist'), { mode: 0o700 });
  writeFileSync(file(`.chanlist/${id}.ndjson.json`), JSON.stringify(record));
  for (const [at, program] of programs.entries()) {
    const { time, peak } = await measured(node, [program, 'check', path], env);
    const what = `${at === 0 ? '' : 'the other version: '}\`check\` of ${entries} entries`;
    print(what, '', '4 s, 100 MB', '', `${number(time / 1000)} s`, `${number(peak)} MB`);
  }
}

try {
  console.log(`Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}\n`);
  print('what', 'ratio', 'target', values.against ? `against ${values.against}` : '', 'median', 'of');
  print(...Array(6).fill('---'));
  const parts = { start, stream, peers, night, check };
  for (const [name, part] of Object.entries(parts))
    if (positionals.length === 0 || positionals.includes(name)) await part();
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
