/**
 * Measures the program against bare Node and against its peers on this machine, in turn, and prints the ratios of
 * the medians: `npm run bench -- [--check] [--node PATH]…`. `--check` is quick, and fails if a ratio is more than
 * a quarter over its target.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureCheck, measureExport } from './exports.mjs';
import { measureMemory } from './memory.mjs';
import { startPeers, streamPeers } from './peers.mjs';
import { measureStart } from './start.mjs';
import { measureStream } from './stream.mjs';

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, node: { type: 'string', multiple: true } },
});
const { check } = values;
const program = join(import.meta.dirname, '../bin/chanlist.js');
if (!existsSync(join(import.meta.dirname, '../dist'))) {
  console.error('bench: there is no dist; run: npm run build');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'chanlist-bench-'));
const server = spawn(process.execPath, [join(import.meta.dirname, 'server.mjs')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const url = String(await once(server.stdout, 'data')).trim();
const env = prepareHome();
const over = [];
try {
  for (const node of values.node ?? [process.execPath]) await measureAll(node);
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
if (check && over.length > 0) {
  console.log(`\nmore than a quarter over the target: ${over.join('; ')}`);
  process.exitCode = 1;
}

/** A home folder with a stored key, and nothing else of this machine. */
function prepareHome() {
  const config = join(folder, '.config', 'chanlist');
  mkdirSync(config, { recursive: true });
  const profile = { baseUrl: url, namespace: 'media', key: 'sk_bench', verified: true };
  const store = { version: 1, active: 'bench', profiles: { bench: profile } };
  writeFileSync(join(config, 'config.json'), JSON.stringify(store), { mode: 0o600 });
  return { PATH: process.env.PATH, HOME: folder };
}

async function measureAll(node) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const major = Number(/\d+/.exec(version)?.[0]);
  const common = { node, major, program, env, url, folder };
  const short = startPeers(url, env);
  const long = streamPeers(url, env, check ? 20 : 100);
  console.log(`\nNode ${version}\n`);
  console.log('| what | ratio | target | median | of |\n|---|---|---|---|---|');

  print(await measureStart({ ...common, peers: short.there, runs: check ? 9 : 30 }));
  const wire = {
    pages: 1000,
    latency: 0,
    targets: { file: 1.5, pipe: 1.8 },
    peers: long.there,
    runs: check ? 3 : 7,
  };
  print(await measureStream({ ...common, ...wire }));
  const slow = {
    pages: check ? 100 : 500,
    latency: 20,
    targets: { file: 1.1, pipe: 1.1 },
    peers: [],
    runs: check ? 1 : 3,
  };
  print(await measureStream({ ...common, ...slow }));
  const formats = check ? ['ndjson'] : ['ndjson', 'json', 'csv', 'id'];
  for (const format of formats) {
    print([await measureMemory({ ...common, format, few: check ? 500 : 1000, more: check ? 5000 : 10_000 })]);
  }
  if (!check) print([await measureMemory({ ...common, format: 'table', few: 1000, more: 3000 })]);
  print(await measureExport({ ...common, pages: check ? 200 : 1000, runs: check ? 3 : 7 }));
  print(await measureCheck({ ...common, entries: check ? 100_000 : 1_000_000 }));
  for (const why of [...short.not, ...long.not]) console.log(`\nnot run: ${why}`);
}

function print(rows) {
  for (const { what, target, least, median, of, unit = 'ms' } of rows) {
    const ratio = median / of;
    const wanted = target !== undefined ? `<= ${target}` : least !== undefined ? `>= ${least}` : '';
    const digits = unit === 'ms' && median < 100 ? 1 : 0;
    const cells = [
      what,
      ratio.toFixed(2),
      wanted,
      `${median.toFixed(digits)} ${unit}`,
      `${of.toFixed(digits)} ${unit}`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
    if (ratio > (target ?? Number.POSITIVE_INFINITY) * 1.25 || ratio < (least ?? 0) / 1.25) over.push(what);
  }
}
