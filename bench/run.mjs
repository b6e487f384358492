/**
 * Measures the built program on this machine and prints a table: `npm run bench -- [PART…] [--quick] [--node PATH]
 * [--against FOLDER]`. Parts: start, stream, night, check; without one, all. Each figure is a median; what is compared
 * takes turns. `--against`: another version, built in its folder.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
const { quick, node, against } = values;
const here = (name) => join(import.meta.dirname, name);
const folders = [here('..'), ...(against ? [resolve(against)] : [])];
const programs = folders.map((folder) => join(folder, 'bin/chanlist.js'));
const folder = mkdtempSync(join(tmpdir(), 'chanlist-bench-'));
const file = (name) => join(folder, name);
const server = spawn(process.execPath, [here('server.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
const url = String(await once(server.stdout, 'data')).trim();

/** A home folder with a stored key, and nothing else of this machine. */
const profile = { baseUrl: url, namespace: 'media', key: 'sk_bench', verified: true };
mkdirSync(file('.config/chanlist'), { recursive: true });
const store = { version: 1, active: 'bench', profiles: { bench: profile } };
writeFileSync(file('.config/chanlist/config.json'), JSON.stringify(store), { mode: 0o600 });
const env = { PATH: process.env.PATH, HOME: folder };

const number = (value) => (value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0));
const print = (...cells) => console.log(`| ${cells.join(' | ')} |`);

/**
 * Measures rows in turn, each `[what, bound, arguments]`, and prints them as multiples of a baseline, if there is one.
 * `arguments`: a function of the number of the program, which comes first.
 */
async function compare({ runs, metric = 'time', unit = 'ms', base, out = null, isStart = false }, rows) {
  const cases = rows.flatMap(([, , args]) =>
    programs.map((program, at) => () => {
      // The ledger of the runs before would be read, too.
      rmSync(file('.local'), { recursive: true, force: true });
      return measured(node, [program, ...args(at)], env, out, isStart);
    }),
  );
  const figures = await inTurn([...(base ? [base] : []), ...cases], quick ? 1 : runs, metric);
  const of = base ? figures.shift() : null;
  for (const [at, [what, bound]] of rows.entries()) {
    const [own, other] = figures.slice(at * programs.length);
    print(
      what,
      of ? number(own / of) : '',
      bound,
      other ? number(own / other) : '',
      `${number(own)} ${unit}`,
    );
  }
}

const pages = quick ? 100 : 1000;
const always =
  (...args) =>
  () =>
    args;
const list = (count, ...more) => always('uploads', `@pages-${count}`, ...more);
const bareLoop = (channel) => () => measured(node, [here('bare-loop.mjs'), url, channel], env);

async function start() {
  const base = () => measured(node, [here('empty.mjs')], env, null, true);
  await compare({ runs: 30, base, isStart: true }, [
    ['`--version`', '1.3', always('--version')],
    ['`--help`', '2.0', always('--help')],
    ['`resolve @x`', '3.0', always('resolve', '@x')],
    ['`resolve @x`, as a table', '', always('resolve', '@x', '-f', 'table')],
  ]);
}

async function stream() {
  const out = file('out');
  const base = bareLoop(`@pages-${pages}`);
  await compare({ runs: 7, base, out }, [
    [`${pages} pages, ndjson, to a file`, '1.95', list(pages)],
    ['the same, csv', '', list(pages, '-f', 'csv')],
    ['the same, two fields', '', list(pages, '--fields', 'videoId,title')],
    ['the same, as a table (150 rows per page)', '', list(pages, '-f', 'table')],
  ]);
  await compare({ runs: 7, base }, [['the same, ndjson, to a pipe', '2.3', list(pages)]]);
  await compare({ runs: 3, base: bareLoop('@pages-200-20ms'), out }, [
    ['200 pages, 20 ms per page', '1.1', list('200-20ms')],
  ]);
  // Another version cannot read what this one keeps.
  for (const at of programs.keys()) mkdirSync(file(`out-${at}`));
  const toFile = (count) => (at) => [...list(count)(), '-o', file(`out-${at}/a.ndjson`), '--restart'];
  const toStdout = (metric, runs, ...format) => ({
    ...{ metric, runs, out, unit: metric === 'peak' ? 'MB' : 'ms' },
    base: () => measured(node, [programs[0], ...list(pages, ...format)()], env, out),
  });
  await compare(toStdout('cpu', 7), [['processor time of `-o FILE` against stdout', '1.5', toFile(pages)]]);
  const growth = `${10 * pages} pages against ${pages}`;
  await compare(toStdout('peak', 3), [
    [`memory, ndjson: ${growth}`, '1.1', list(10 * pages)],
    [`memory, \`-o FILE\`: ${growth} to stdout`, '1.7', toFile(10 * pages)],
  ]);
  await compare(toStdout('peak', 3, '-f', 'csv'), [
    [`memory, csv: ${growth}`, '1.1', list(10 * pages, '-f', 'csv')],
  ]);
}

/** A night of `--output-dir --update` without new uploads: after a first run, and one that sees each feed once. */
async function night() {
  const channels = quick ? 100 : 1000;
  writeFileSync(file('refs.txt'), Array.from({ length: channels }, (_, n) => `@c${n}\n`).join(''));
  const run = (at) => ['uploads', '--from', file('refs.txt'), '--output-dir', file(`exports-${at}`)];
  const update = (at) => [...run(at), '--update', '--summary', file(`summary-${at}`)];
  for (const [at, program] of programs.entries()) await measured(node, [program, ...run(at)], env);
  const what = `a night of ${channels} unchanged channels`;
  await compare({ runs: 3, metric: 'cpu' }, [[`${what}: processor time`, '', update]]);
  const { requests } = JSON.parse(readFileSync(file('summary-0'), 'utf8'));
  print(`${what}: requests of each`, number(requests / channels), '1.00', '', '');
}

async function check() {
  const entries = quick ? 10_000 : 1_000_000;
  const path = (at) => file(`checked-${at}/a.ndjson`);
  for (const [at, program] of programs.entries()) {
    mkdirSync(file(`checked-${at}`));
    await measured(node, [program, 'uploads', `@size-${entries}`, '--sandbox', '-o', path(at)], env);
  }
  const rows = [[`\`check\` of ${entries} entries`, '', (at) => ['check', path(at)]]];
  await compare({ runs: 3 }, rows);
  await compare({ runs: 1, metric: 'peak', unit: 'MB' }, rows);
}

try {
  console.log(`Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}\n`);
  print('what', 'ratio', 'bound', against ? `of ${against}` : '', 'median');
  print(...Array(5).fill('---'));
  const parts = { start, stream, night, check };
  for (const [name, part] of Object.entries(parts))
    if (positionals.length === 0 || positionals.includes(name)) await part();
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
