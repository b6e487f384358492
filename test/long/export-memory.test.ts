import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ExportFixture, exportFixture } from '../support/exports.ts';

const list = '@size-20';
const fields = 'videoId,index';

type Format = 'ndjson' | 'csv' | 'id';

/** Frame of a file and the texts between its entries. */
const shapes: Record<
  Format,
  { row(id: string, index: number): string; head: string; between: string; tail: string }
> = {
  ndjson: {
    row: (id, index) => `{"videoId":"${id}","index":"${index}"}`,
    head: '',
    between: '\n',
    tail: '\n',
  },
  csv: { row: (id, index) => `${id},${index}`, head: 'videoId,index\n', between: '\n', tail: '\n' },
  id: { row: (id, index) => `${id}\t${index}`, head: '', between: '\n', tail: '\n' },
};

/** A complete file whose newest entries are the channel's, and so many older ones after them. */
async function writeLong(fixture: ExportFixture, format: Format, entries: number): Promise<void> {
  const { row, head, between, tail } = shapes[format];
  const known = (await fixture.run(`uploads ${list} -f id`)).lines;
  const file = createWriteStream(join(fixture.folder, 'long'));
  file.write(head);
  for (let at = 0; at < entries; at += 10_000) {
    const rows = Array.from({ length: Math.min(10_000, entries - at) }, (_, n) => {
      const index = at + n;
      return row(known[index] ?? `old${String(index).padStart(8, '0')}`, index);
    });
    const text = (at === 0 ? '' : between) + rows.join(between);
    if (!file.write(text)) await new Promise<void>((resolve) => file.once('drain', () => resolve()));
  }
  await new Promise<void>((resolve) => file.end(tail, () => resolve()));
}

const preload = `NODE_OPTIONS=--require=${join(process.cwd(), 'test/support/peak.cjs')}`;

/** Peak memory allowed for a million entries, in KiB: their IDs are a plain set. */
const maxPeak = 220 * 1024;

/** Updates a file of so many entries; peak memory in KiB. */
async function peakOf(
  fixture: ExportFixture,
  format: Format,
  entries: number,
  uploads: number,
): Promise<number> {
  fixture.sandbox.setUploads(list, 20);
  await writeLong(fixture, format, entries);
  fixture.sandbox.setUploads(list, uploads);
  const peak = join(fixture.folder, 'peak');
  const args = ['uploads', list, '-o', 'long', '-f', format, '--fields', fields, '--update'];
  const result = await fixture.run(args, {
    within: ['env', `PEAK=${peak}`, preload],
  });
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(result.charged, 1);
  assert.deepEqual([result.only.new, result.only.entries], [uploads - 20, entries + uploads - 20]);
  return Number(await readFile(peak, 'utf8'));
}

for (const [format, entries] of [
  ['ndjson', 1_000_000],
  ['csv', 500_000],
  ['id', 500_000],
] as const) {
  test(`--update of ${entries} entries (${format}), then check: memory is that of their IDs`, async (t) => {
    const fixture = await exportFixture(t);
    const used = await peakOf(fixture, format, entries, 22);
    t.diagnostic(`peak ${used >> 10} MiB`);
    assert.ok(used < maxPeak, `${used} KiB`);
    const { size } = await stat(join(fixture.folder, 'long'));
    const file = await open(join(fixture.folder, 'long'));
    const { tail } = shapes[format];
    const { buffer } = await file.read(Buffer.alloc(tail.length), 0, tail.length, size - tail.length);
    await file.close();
    assert.equal(buffer.toString(), tail);
    const peak = join(fixture.folder, 'peak');
    const check = await fixture.run('check long', {
      within: ['env', `PEAK=${peak}`, preload],
      noSummary: true,
    });
    assert.deepEqual([check.exit, JSON.parse(check.stdout).entries], [0, entries + 2], check.stderr);
    const ofCheck = Number(await readFile(peak, 'utf8'));
    assert.ok(ofCheck < maxPeak, `check: ${ofCheck} KiB`);
  });
}
