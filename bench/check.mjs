/**
 * Measures `chanlist check`: a file of a million entries of about 800 bytes (target: under 10 s of processor time and
 * 220 MB), and a folder of 1,000 small exports. `node bench/check.mjs`, after `npm run build`; needs 900 MB of disk.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(import.meta.dirname, '../bin/chanlist.js');
const folder = mkdtempSync(join(tmpdir(), 'chanlist-bench-'));
try {
  console.log('| what | processor time | time | peak memory |\n|---|---|---|---|');
  measure('a file of 1,000,000 entries', 'long', 1, 1_000_000);
  measure('1,000 files of 100 entries', 'many', 1000, 100);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Checks a folder of so many exports of so many entries. */
function measure(what, name, files, entries) {
  const path = join(folder, name);
  mkdirSync(join(path, '.chanlist'), { recursive: true, mode: 0o700 });
  for (let i = 0; i < files; i++) writeExport(path, `UC${String(i).padStart(22, '0')}`, entries);
  const peak = join(folder, 'peak');
  const usage = 'process.on("exit", () => console.error(JSON.stringify(process.cpuUsage())))';
  const preloads = ['-r', join(import.meta.dirname, 'peak.cjs'), '--import', `data:text/javascript,${usage}`];
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, [...preloads, program, 'check', path], {
    env: { PATH: process.env.PATH, PEAK_FILE: peak },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const { user, system } = JSON.parse(stderr);
  const memory = Number(readFileSync(peak, 'utf8')) / 1e6;
  const figures = [
    `${((user + system) / 1e6).toFixed(1)} s`,
    `${seconds.toFixed(1)} s`,
    `${memory.toFixed(0)} MB`,
  ];
  console.log(`| ${[what, ...figures].join(' | ')} |`);
}

/** Writes an export and its record. */
function writeExport(path, id, entries) {
  const file = join(path, `${id}.ndjson`);
  const hash = createHash('sha256');
  let size = 0;
  const handle = openSync(file, 'w');
  for (let at = 0; at < entries; at += 1000) {
    const rows = Array.from({ length: Math.min(1000, entries - at) }, (_, n) => row(id, at + n));
    const bytes = Buffer.from(rows.join(''));
    hash.update(bytes);
    size += bytes.length;
    writeSync(handle, bytes);
  }
  const { mtimeMs: mtime, ino: inode } = fstatSync(handle);
  closeSync(handle);
  const now = new Date().toISOString();
  const record = {
    version: 1,
    reference: id,
    references: {},
    request: { command: 'uploads', id, format: 'ndjson', fields: null, limit: null, service: '' },
    progress: null,
    finished: {
      ...{ size, digest: hash.digest('base64'), mtime, inode, entries },
      ...{ isCut: false, pageSize: 100, exported: now },
    },
    ...{ checked: now, changed: now, missing: null, feed: null },
    ...{ missingIds: {}, withoutFeed: null, failure: null },
  };
  writeFileSync(join(path, '.chanlist', `${id}.ndjson.json`), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

/** An entry of about 800 bytes, as the service sends it. */
function row(channelId, index) {
  const thumbnails = [1, 2, 3, 4].map((size) => ({
    url: `https://i.example/vi/${String(index).padStart(11, '0')}/${size}.jpg?sqp=${'x'.repeat(50)}`,
    width: 168 * size,
    height: 94 * size,
  }));
  return `${JSON.stringify({
    videoId: `v${String(index).padStart(10, '0')}`,
    title: `A title of some length, number ${index}`,
    channelId,
    channelTitle: 'A channel',
    channelHandle: '@channel',
    lengthText: '12:34',
    viewCountText: '434K views 2 years ago',
    thumbnails,
    index: String(index),
  })}\n`;
}
