import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { entry, page, scriptedService } from '../../support/service.ts';
import { checkFault, type Fault, inBatches } from './fault.ts';

/** A complete but invalid 200: it was paid, is reported once, and is not requested again. */
function invalid(name: string, text: string | Uint8Array, said: RegExp, rest: Partial<Fault> = {}): Fault {
  return {
    name,
    reply: { text, headers: {} },
    exit: 8,
    code: 'invalid_response',
    status: 200,
    charge: 'confirmed',
    said,
    ...rest,
  };
}

/** Its only entry is printed all the same. */
const one: Partial<Fault> = { printed: [1] };
const noJson = /the response is not JSON/;
const noUtf8 = /the response is not UTF-8 text/;
const noMore = /has_more is missing or not a boolean/;
const noList = /results is missing or not an array/;
const noToken = /has_more is true, but there is no continuation token/;
const noWayBack = /token cannot be sent back/;

/** Bodies that are no JSON text. */
const bodies: readonly Fault[] = [
  invalid('an empty body', '', /the response is empty/),
  invalid('white space', ' \n\t', /the response is empty/),
  invalid('a BOM alone', '\ufeff', /the response is empty/),
  invalid('HTML', '<!doctype html><title>Sign in</title>', noJson),
  invalid('JSON that is cut short', '{"results":[{"videoId":"x"', noJson),
  invalid('UTF-16', Buffer.from('\ufeff{"has_more":false}', 'utf16le'), noUtf8),
  invalid('Latin-1', Buffer.from('{"results":["Zürich"],"has_more":false}', 'latin1'), noUtf8, {
    reply: {
      text: Buffer.from('{"results":["Zürich"],"has_more":false}', 'latin1'),
      headers: { 'content-type': 'application/json; charset=iso-8859-1' },
    },
  }),
  invalid('a byte that UTF-8 does not have', Buffer.from([0x22, 0xff, 0x22]), noUtf8),
  invalid('gzip that is cut short', '', /compressed body of the response is invalid or incomplete/, {
    reply: {
      headers: { 'content-encoding': 'gzip' },
      text: gzipSync('{"results":[],"has_more":false}').subarray(0, 30),
    },
  }),
  invalid('text that says it is gzip', '', /compressed body of the response is invalid or incomplete/, {
    reply: { headers: { 'content-encoding': 'gzip' }, text: '{"results":[],"has_more":false}' },
  }),
  invalid('an unknown encoding of what is not JSON', Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), noUtf8, {
    reply: { headers: { 'content-encoding': 'zstd' }, text: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]) },
  }),
];

/** JSON that is no page envelope. What entries there are is printed. */
const envelopes: readonly Fault[] = [
  ...['null', 'true', '0', '-1e400', '"text"', '{}', '[]'].map((text) => invalid(text, text, noMore)),
  invalid('a list of entries alone', JSON.stringify([entry(90)]), noMore, { printed: [entry(90)] }),
  invalid('__proto__', '{"__proto__":{"results":[],"has_more":false}}', noMore),
  invalid(
    'has_more twice, the last one no boolean',
    '{"results":[1],"has_more":false,"has_more":0}',
    noMore,
    one,
  ),
  ...['"true"', '"false"', '1', '0', 'null', '[]', '{}', '[false]'].map((value) =>
    invalid(
      `has_more is ${value}`,
      `{"results":[1],"has_more":${value},"continuation_token":"x"}`,
      noMore,
      one,
    ),
  ),
  invalid('no has_more', '{"results":[1],"continuation_token":"x"}', noMore, one),
  ...['null', 'true', '3', '"text"', '{"0":1}'].map((value) =>
    invalid(`results is ${value}`, `{"results":${value},"has_more":false,"continuation_token":null}`, noList),
  ),
  invalid('no results', '{"has_more":true,"continuation_token":"x"}', noList),
  ...['null', '""', '7', 'true', 'false', '[]', '{}', '["x"]'].map((value) =>
    invalid(
      `the token is ${value}`,
      `{"results":[1],"has_more":true,"continuation_token":${value}}`,
      noToken,
      one,
    ),
  ),
  invalid('no token', '{"results":[1],"has_more":true}', noToken, one),
  invalid(
    'half a surrogate pair in the token',
    '{"results":[1],"has_more":true,"continuation_token":"a\\udc00"}',
    noWayBack,
    one,
  ),
  invalid(
    'an enormous token',
    `{"results":[1],"has_more":true,"continuation_token":"${'t'.repeat(2 ** 21)}"}`,
    noWayBack,
    one,
  ),
];

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
  const names = [
    'utf-8',
    'none',
    'UTF8',
    'identity',
    'binary',
    'gzip, gzip',
    'zstd',
    'constructor',
    '__proto__',
    '',
  ];
  await inBatches(names, async (encoding) => {
    const service = await scriptedService(t, () => ({
      headers: { 'content-encoding': encoding },
      body: page(0, 2, null),
    }));
    const { exit, lines, stderr } = await service.run('uploads @a');
    assert.deepEqual([exit, lines.length, stderr], [0, 2, ''], encoding);
  });
});
