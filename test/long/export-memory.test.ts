import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ExportFixture, exportFixture } from '../support/exports.ts';

const list = '@size-20';
const fields = 'videoId,index';

/** A complete file whose newest entries are the channel's, and so many older ones after them. */
async function writeLong(fixture: ExportFixture, entries: number): Promise<void> {
  const known = (await fixture.run(`uploads ${list} -f id`)).lines;
  const file = createWriteStream(join(fixture.folder, 'long'));
  for (let at = 0; at < entries; at += 10_000) {
    const rows = Array.from({ length: Math.min(10_000, entries - at) }, (_, n) => {
      const index = at + n;
      return `{"videoId":"${known[index] ?? `old${String(index).padStart(8, '0')}`}","index":"${index}"}\n`;
    });
    if (!file.write(rows.join(''))) await new Promise<void>((resolve) => file.once('drain', () => resolve()));
  }
  await new Promise<void>((resolve) => file.end(() => resolve()));
}

const preload = `NODE_OPTIONS=--require=${join(process.cwd(), 'test/support/peak.cjs')}`;

/** Peak memory allowed for a million entries, in KiB: their IDs are a plain set. */
const maxPeak = 220 * 1024;

/** Updates a file of so many entries; peak memory in KiB. */
async function peakOf(fixture: ExportFixture, entries: number, uploads: number): Promise<number> {
  fixture.sandbox.setUploads(list, 20);
  await writeLong(fixture, entries);
  fixture.sandbox.setUploads(list, uploads);
  const peak = join(fixture.folder, 'peak');
  const args = ['uploads', list, '-o', 'long', '--fields', fields, '--update'];
  const result = await fixture.run(args, {
    within: ['env', `PEAK=${peak}`, preload],
  });
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(result.charged, 1);
  assert.deepEqual([result.only.new, result.only.entries], [uploads - 20, entries + uploads - 20]);
  return Number(await readFile(peak, 'utf8'));
}

test('--update of a million entries, then check and a view of them: memory is that of their IDs', async (t) => {
  const entries = 1_000_000;
  const fixture = await exportFixture(t);
  const used = await peakOf(fixture, entries, 22);
  t.diagnostic(`peak ${used >> 10} MiB`);
  assert.ok(used < maxPeak, `${used} KiB`);
  const peak = join(fixture.folder, 'peak');
  const options = { within: ['env', `PEAK=${peak}`, preload], noSummary: true };
  const check = await fixture.run('check long', options);
  assert.deepEqual([check.exit, JSON.parse(check.stdout).entries], [0, entries + 2], check.stderr);
  const ofCheck = Number(await readFile(peak, 'utf8'));
  assert.ok(ofCheck < maxPeak, `check: ${ofCheck} KiB`);
  assert.equal((await fixture.run('show long -o view.csv', options)).exit, 0);
  const ofShow = Number(await readFile(peak, 'utf8'));
  assert.ok(ofShow < maxPeak, `show: ${ofShow} KiB`);
});
