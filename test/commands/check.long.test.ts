import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ended, start, temporaryFolder } from '../support/program.ts';

const gigabyte = 1024 ** 3;

test('a line of 1 GB is damage of that export; memory stays bounded, and the others are checked', async (t) => {
  const folder = await temporaryFolder(t);
  const huge = join(folder, 'UCline.ndjson');
  writeFileSync(huge, '{"videoId":"a"}\n{"videoId":"b","title":"');
  truncateSync(huge, gigabyte);
  writeFileSync(join(folder, 'UCwell.ndjson'), '{"videoId":"a"}\n');
  const peak = join(folder, 'peak');
  const node = ['--require', join(process.cwd(), 'test/support/peak.cjs')];
  const { exit, lines } = await ended(start(['check', folder], { node, env: { PEAK: peak } }));
  truncateSync(huge, 0);
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
