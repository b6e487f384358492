import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Stderr } from '../../src/output/stderr.ts';
import { clientOptions } from '../../src/run/session.ts';
import { fakeContext } from '../support/fake-context.ts';

/** What stderr says of waits of 2 and 3 seconds, and those that are counted down. */
function waits({ terminal = true, isHidden = true, verbose = 0 }) {
  const { context, stderr } = fakeContext({ terminal, env: { NO_COLOR: '1' } });
  const counted: number[] = [];
  const progress = {
    ...{ update: () => {}, referenceDone: () => {}, stop: async () => {}, isHidden },
    countDown: (milliseconds: number) => void counted.push(milliseconds),
  };
  const limits = { timeout: 30, retries: 4, maxWait: 120 };
  const { onWait } = clientOptions(limits, context, new Stderr(context, { quiet: false, verbose }), progress);
  for (const milliseconds of [2999, 3000]) onWait(milliseconds, 'rate limited (429)');
  assert.deepEqual(counted, [2999, 3000]);
  return stderr();
}

test('while stdout is a pipe, a wait of three seconds or more is a line at a terminal; with -v each is', () => {
  const line = 'chanlist: waiting 3 s: rate limited (429)\n';
  assert.equal(waits({}), line);
  assert.equal(waits({ isHidden: false }), '');
  assert.equal(waits({ terminal: false, isHidden: false }), '');
  assert.equal(waits({ verbose: 1 }), line + line);
  assert.equal(waits({ terminal: false, isHidden: false, verbose: 1 }), line + line);
});
