import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ExportFixture, exportFixture, type Outcome } from '../support/exports.ts';

const list = '@size-20';

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

test('--update of a million entries, then check and a view of them: memory is that of their IDs', async (t) => {
  const fixture = await exportFixture(t);
  await writeLong(fixture, 1_000_000);
  fixture.sandbox.setUploads(list, 22);
  const peak = join(fixture.folder, 'peak');
  const measured = async (line: string): Promise<Outcome> => {
    const options = { within: ['env', `PEAK=${peak}`, preload], noSummary: !line.startsWith('uploads') };
    const result = await fixture.run(line, options);
    assert.equal(result.exit, 0, result.stderr);
    const used = Number(await readFile(peak, 'utf8'));
    t.diagnostic(`${line}: peak ${used >> 10} MiB`);
    assert.ok(used < maxPeak, `${line}: ${used} KiB`);
    return result;
  };
  const update = await measured(`uploads ${list} -o long --fields videoId,index --update`);
  assert.deepEqual([update.charged, update.only.new, update.only.entries], [1, 2, 1_000_002]);
  assert.equal(JSON.parse((await measured('check long')).stdout).entries, 1_000_002);
  await measured('show long -o view.csv');
});
