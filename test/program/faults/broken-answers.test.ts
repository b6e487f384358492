import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { entry, page, scriptedService } from '../../support/service.ts';
import { checkFault, type Fault, inBatches } from './fault.ts';

/** A complete but invalid 200: it was paid, is reported once, and is not requested again. */
const invalid = (name: string, text: string, said: RegExp): Fault => ({
  ...{ name, reply: { text, headers: {} }, exit: 8, code: 'invalid_response', status: 200, said },
  charge: 'confirmed',
});

const noJson = /the response is not JSON/;
const noUtf8 = /the response is not UTF-8 text/;
const noMore = /has_more is missing or not a boolean/;
const noList = /results is missing or not an array/;
const noToken = /has_more is true, but there is no continuation token/;
const noWayBack = /token cannot be sent back/;

/** Bodies that are no JSON text: what arrives, with which headers, and what is said. */
const gzip = { 'content-encoding': 'gzip' };
const latin1 = Buffer.from('{"results":["Zürich"],"has_more":false}', 'latin1');
const unpacked = /compressed body of the response is invalid or incomplete/;
const bodies: readonly Fault[] = (
  [
    ['an empty body', '', {}, /the response is empty/],
    ['white space', ' \n\t', {}, /the response is empty/],
    ['a BOM alone', '\ufeff', {}, /the response is empty/],
    ['HTML', '<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }, noJson],
    ['JSON that is cut short', '{"results":[{"videoId":"x"', {}, noJson],
    ['two documents', '{"has_more":false}{"has_more":false}', {}, noJson],
    ['UTF-16', Buffer.from('\ufeff{"has_more":false}', 'utf16le'), {}, noUtf8],
    ['Latin-1', latin1, { 'content-type': 'application/json; charset=iso-8859-1' }, noUtf8],
    ['a byte that UTF-8 does not have', Buffer.from([0x22, 0xff, 0x22]), {}, noUtf8],
    ['gzip that is cut short', gzipSync('{"results":[],"has_more":false}').subarray(0, 30), gzip, unpacked],
    ['text that says it is gzip', '{"results":[],"has_more":false}', gzip, unpacked],
    ['an unknown encoding', Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), { 'content-encoding': 'zstd' }, noUtf8],
  ] as const
).map(([name, text, headers, said]) => ({ ...invalid(name, '', said), reply: { text, headers } }));

/** JSON that is no page envelope. What entries there are is printed. */
const more = '"has_more":true,"continuation_token"';
const envelopes: readonly Fault[] = (
  [
    ...['null', 'true', '0', '-1e400', '"text"', '{}', '[]'].map((text) => [text, text, noMore, []] as const),
    ['a list of entries alone', JSON.stringify([entry(90)]), noMore, [entry(90)]],
    ['__proto__', '{"__proto__":{"results":[],"has_more":false}}', noMore, []],
    ['has_more twice', '{"results":[1],"has_more":false,"has_more":0}', noMore, [1]],
    ...['"true"', '"false"', '1', '0', 'null', '[]', '{}', '[false]'].map(
      (value) =>
        [
          `has_more: ${value}`,
          `{"results":[1],"has_more":${value},"continuation_token":"x"}`,
          noMore,
          [1],
        ] as const,
    ),
    ['no has_more', '{"results":[1],"continuation_token":"x"}', noMore, [1]],
    ...['null', 'true', '3', '"text"', '{"0":1}'].map(
      (value) => [`results: ${value}`, `{"results":${value},"has_more":false}`, noList, []] as const,
    ),
    ['no results', `{${more}:"x"}`, noList, []],
    ...['null', '""', '7', 'true', 'false', '[]', '{}', '["x"]'].map(
      (value) => [`token: ${value}`, `{"results":[1],${more}:${value}}`, noToken, [1]] as const,
    ),
    ['no token', '{"results":[1],"has_more":true}', noToken, [1]],
    ['half a surrogate pair in the token', `{"results":[1],${more}:"a\\udc00"}`, noWayBack, [1]],
    ['an enormous token', `{"results":[1],${more}:"${'t'.repeat(2 ** 21)}"}`, noWayBack, [1]],
  ] as const
).map(([name, text, said, printed]) => ({ ...invalid(name, text, said), printed }));

/** Checked at each place and in both formats. */
const everywhere = new Set([
  'an empty body',
  'HTML',
  'JSON that is cut short',
  'a list of entries alone',
  'no token',
]);
const cases = (faults: readonly Fault[]): Fault[] =>
  faults.map((fault) => ({ ...fault, everywhere: everywhere.has(fault.name) }));

test('a complete 200 that is not JSON is 8, paid, and not requested again', async (t) => {
  await inBatches(cases(bodies), (fault) => checkFault(t, fault));
});

test('a page with an invalid envelope is printed as far as it is valid, and is 8', async (t) => {
  await inBatches(cases(envelopes), (fault) => checkFault(t, fault));
});

test('an unknown Content-Encoding before a body that is JSON is ignored', async (t) => {
  const names = ['utf-8', 'none', 'identity', 'gzip, gzip', 'zstd', 'constructor', '__proto__', ''];
  await inBatches(names, async (encoding) => {
    const service = await scriptedService(t, () => ({
      headers: { 'content-encoding': encoding },
      body: page(0, 2, null),
    }));
    const { exit, lines, stderr } = await service.run('uploads @a');
    assert.deepEqual([exit, lines.length, stderr], [0, 2, ''], encoding);
  });
});
