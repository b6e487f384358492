import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { page, scriptedService } from '../../support/service.ts';
import { checkFault, type Fault, inBatches } from './fault.ts';

/** A complete but invalid 200: it was paid, is reported once, and is not requested again. */
const invalid = (
  name: string,
  text: string | Uint8Array,
  pattern: RegExp,
  more: Partial<Fault> = {},
): Fault => ({
  ...{ name, reply: { text, headers: {} }, exit: 8, code: 'invalid_response', status: 200, pattern },
  ...{ charge: 'confirmed', ...more },
});
const encoded = (name: string, encoding: string, text: string | Uint8Array, pattern: RegExp): Fault =>
  invalid(name, '', pattern, { reply: { text, headers: { 'content-encoding': encoding } } });

const noJson = /the response is not JSON/;
const noUtf8 = /the response is not UTF-8 text/;
const unpacked = /compressed body of the response is invalid, incomplete or larger than 64 MiB/;
const envelope = '{"results":[],"has_more":false}';
const everywhere = { everywhere: true };
const cases: readonly Fault[] = [
  invalid('an empty body', '', /the response is empty/, everywhere),
  invalid('a BOM and white space', '\ufeff \n\t', /the response is empty/),
  invalid('HTML', '<!doctype html><title>Sign in</title>', noJson, everywhere),
  invalid('JSON that is cut short', '{"results":[{"videoId":"x"', noJson, everywhere),
  invalid('two documents', envelope + envelope, noJson),
  invalid('UTF-16', Buffer.from(`\ufeff${envelope}`, 'utf16le'), noUtf8),
  invalid('a byte that UTF-8 does not have', Buffer.from([0x22, 0xff, 0x22]), noUtf8),
  encoded('gzip that is cut short', 'gzip', gzipSync(envelope).subarray(0, 30), unpacked),
  encoded('gzip of more than 64 MiB', 'gzip', gzipSync(Buffer.alloc(2 ** 26 + 1, ' ')), unpacked),
  encoded('text that says it is gzip', 'gzip', envelope, unpacked),
  encoded('an unknown encoding', 'zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), noUtf8),
  invalid('a million values', `[${'0,'.repeat(1_000_000)}0]`, /has more than 1,000,000 values/),
  // It would become a line of 69 MB.
  invalid(
    'a title of control characters',
    `{"results":[{"title":"${'\u007f'.repeat(11_500_000)}"}],"has_more":false}`,
    /the response is larger than 64 MiB once its control characters are escaped/,
  ),
  invalid('no token', '{"results":[1],"has_more":true}', /there is no continuation token/, {
    ...everywhere,
    isEnvelope: true,
    printed: [1],
  }),
];

test('a complete but invalid 200 is printed as far as it is valid, is 8, paid, and not requested again', (t) =>
  inBatches(cases, (fault) => checkFault(t, fault)));

test('a token that cannot be shown is in the JSON document, and stderr says so', async (t) => {
  for (const token of ['t'.repeat(4097), 'a\nb', '\u001b[2J', 'x\u202ey']) {
    const service = await scriptedService(t, () => ({ body: page(0, 1, token) }));
    const result = await service.run('uploads @a --json --max-credits 1');
    assert.equal(result.exit, 9);
    assert.equal(JSON.parse(result.stdout).continuation_token, token);
    assert.match(result.stderr, /^chanlist: error: @a: [^\n]*token cannot be printed here[^\n]*\n$/);
    assert.ok(!result.stderr.includes(token) && result.stderr.length < 1000);
  }
});
