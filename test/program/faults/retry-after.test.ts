import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page, scriptedService } from '../../support/service.ts';

/** What the service says its own clock shows. */
const date = 'Thu, 01 Jan 2026 00:00:00 GMT';

/** A header, and the wait that it means in milliseconds; null: none, so the first backoff of half a second applies. */
const headers: readonly (readonly [header: string, wait: number | null])[] = [
  ['0', 1000],
  ['0.5', 1000],
  ['7', 7000],
  ['007', 7000],
  [' 7 ', 7000],
  ['1.5', 1500],
  ['Thu, 01 Jan 2026 00:00:09 GMT', 9000],
  ['Thursday, 01-Jan-26 00:00:09 GMT', 9000],
  ['Thu, 01 Jan 2026 00:00:00 GMT', 1000],
  ['Wed, 31 Dec 2025 23:59:59 GMT', 1000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 1000],
  ...['', '-1', '-99999999999999999999', '+5', '5s', '0x10', '1e3', 'NaN', 'Infinity', '5, 7', 'soon'].map(
    (header) => [header, null] as const,
  ),
  ['Thu, 99 Foo 2026 99:99:99 GMT', null],
  ['2026-01-01T00:00:09Z', null],
  ['\u00ff\u00fe', null],
];

test('Retry-After: seconds and dates are obeyed; anything else is none', async (t) => {
  for (const status of [429, 503]) {
    for (const [header, wait] of headers) {
      const service = await scriptedService(t, (_, number) =>
        number === 0 ? { status, headers: { date, 'retry-after': header } } : { body: page(0, 1, null) },
      );
      const result = await service.command('uploads @a');
      const name = `${status} with Retry-After: ${header}`;
      assert.equal(result.exit, 0, `${name}: ${result.stderr}`);
      assert.deepEqual(result.waits, [wait ?? 500], name);
      assert.equal(service.seen.length, 2, name);
    }
  }
});

const tooLong: readonly (readonly [header: string, said: RegExp])[] = [
  ['121', /try again in 2 min 1 s,/],
  ['Thu, 01 Jan 2026 01:00:00 GMT', /try again in 1 h,/],
  ['9'.repeat(400), /try again in more than a year,/],
];

test('Retry-After: more than --max-wait ends the run at once, and the message says when to try again', async (t) => {
  for (const [status, exit] of [
    [429, 6],
    [503, 7],
  ] as const) {
    for (const [header, said] of tooLong) {
      const service = await scriptedService(t, (_, number) =>
        number === 1
          ? { status, headers: { date, 'retry-after': header } }
          : { body: page(number, number + 1, 'next') },
      );
      const result = await service.command('uploads @a');
      assert.equal(result.exit, exit, header);
      assert.deepEqual(result.waits, [], header);
      assert.equal(service.seen.length, 2, header);
      assert.match(result.stderr, said);
      assert.match(result.stderr, /^chanlist: error: [^\n]*; 1 credit spent; [^\n]*--continuation=next\n$/);
    }
  }
});
