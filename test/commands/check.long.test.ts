import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ended, start, temporaryFolder } from '../support/program.ts';

const gigabyte = 1024 ** 3;

/** The start of a line of a gigabyte. */
const files = {
  'UCline.ndjson': '{"videoId":"a"}\n{"videoId":"b","title":"',
};

test('a line of 1 GB is damage of that export; memory stays bounded, and the others are checked', async (t) => {
  const folder = await temporaryFolder(t);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content);
    truncateSync(join(folder, name), gigabyte);
  }
  writeFileSync(join(folder, 'UCwell.ndjson'), '{"videoId":"a"}\n');
  const peak = join(folder, 'peak');
  const node = ['--require', join(process.cwd(), 'test/support/peak.cjs')];
  const { exit, lines } = await ended(start(['check', folder], { node, env: { PEAK: peak } }));
  for (const name of Object.keys(files)) truncateSync(join(folder, name), 0);
  assert.equal(exit, 11);
  const found = lines.map((line) => {
    const { entries, problem } = JSON.parse(line) as { entries: number; problem: { code: string } | null };
    return [entries, problem?.code];
  });
  assert.deepEqual(found, [
    [1, 'damaged'],
    [1, undefined],
  ]);
  const megabytes = Number(readFileSync(peak, 'utf8')) / 1024;
  assert.ok(megabytes < 400, `${megabytes} MB`);
});
