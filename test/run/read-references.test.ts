import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distinct, readReferences } from '../../src/run/read-references.ts';
import { isFailure } from '../support/failures.ts';
import { fakeContext } from '../support/fake-context.ts';

const read = (list: string | null, ...references: string[]) =>
  readReferences(
    { references, from: list === null ? null : '-' },
    'channel',
    fakeContext({ stdin: list ?? '' }).context,
  );

test('references: arguments, then the list without comments, blank lines, BOM and CR; one given twice stands for itself', async () => {
  const inputs = await read('\ufeff# x\r\n\r\n@b # note\r\n  https://x.y/@a/videos#top\n', '@a');
  assert.deepEqual(
    inputs.map(({ label, value }) => [label, value]),
    [
      ['@a', '@a'],
      ['stdin:3 @b', '@b'],
      ['stdin:4 https://x.y/@a/videos#top', '@a'],
    ],
  );
  assert.equal(inputs[2]?.repeats, inputs[0]);
  assert.deepEqual(distinct(inputs), inputs.slice(0, 2));
});

test('the first 20 bad lines are named, the rest is counted', async () => {
  const list = `@a\n${'no\n'.repeat(5)}${'x'.repeat(9000)}\n${'no\n'.repeat(20)}`;
  const named = Array.from({ length: 20 }, (_, n) => `stdin:${n + 2}`).join(', ');
  const said = `${named} and 6 more: 26 are not channel references; the first: 'no' is not`;
  await assert.rejects(read(list), isFailure(2, said));
  await assert.rejects(read('# nothing\n'), isFailure(2, 'stdin contains no channel reference'));
  await assert.rejects(read(null), isFailure(2, 'missing channel'));
  await assert.rejects(read(null, 'README.md'), isFailure(2, 'did you mean --from README.md?'));
});
