import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { entry } from '../../support/service.ts';
import { checkFault, type Fault, inBatches } from './fault.ts';

/** A complete but invalid 200: it was paid, is reported once, and is not requested again. */
function nonsense(name: string, text: string | Uint8Array, said: RegExp, rest: Partial<Fault> = {}): Fault {
  return {
    name,
    reply: { text, headers: {} },
    exit: 8,
    code: 'bad_answer',
    status: 200,
    charge: 'confirmed',
    said,
    ...rest,
  };
}

const noJson = /the response is not JSON/;
const noUtf8 = /the response is not UTF-8 text/;
const noMore = /does not say whether there are more/;
const noList = /has no list of results/;
const noToken = /no continuation token/;
const noWayBack = /token cannot be sent back/;

/** Bodies that are no JSON text. */
const bodies: readonly Fault[] = [
  nonsense('an empty body', '', /the response is empty/),
  nonsense('white space', ' \n\t', /the response is empty/),
  nonsense('a BOM alone', '\ufeff', /the response is empty/),
  nonsense('two BOMs', '\ufeff\ufeff{}', noJson),
  nonsense('HTML', '<!doctype html><title>Sign in</title>', noJson),
  nonsense('HTML that says it is text', '<html></html>', noJson, {
    reply: { text: '<html></html>', headers: { 'content-type': 'text/html; charset=utf-8' } },
  }),
  nonsense('JSON that is cut short', '{"results":[{"videoId":"x"', noJson),
  nonsense('a comma too many', '{"results":[],"has_more":false,}', noJson),
  nonsense('two documents', '{"has_more":false}{"has_more":false}', noJson),
  nonsense('a document and a word', '{} x', noJson),
  nonsense('single quotes', "{'has_more':false}", noJson),
  nonsense('a comment', '{"has_more":false/* no */}', noJson),
  nonsense('NaN', '{"results":[NaN],"has_more":false}', noJson),
  nonsense('a leading zero', '{"results":[01],"has_more":false}', noJson),
  nonsense('a line end in a string', '{"results":["a\nb"],"has_more":false}', noJson),
  nonsense('NUL bytes', '\0\0\0\0', noJson),
  nonsense('brackets without end', '['.repeat(100_000), noJson),
  nonsense('objects without end', '{"a":'.repeat(100_000), noJson),
  nonsense('UTF-16', Buffer.from('\ufeff{"has_more":false}', 'utf16le'), noUtf8),
  nonsense('UTF-16 without a mark', Buffer.from('{"has_more":false}', 'utf16le'), noJson),
  nonsense('Latin-1', Buffer.from('{"results":["Zürich"],"has_more":false}', 'latin1'), noUtf8, {
    reply: {
      text: Buffer.from('{"results":["Zürich"],"has_more":false}', 'latin1'),
      headers: { 'content-type': 'application/json; charset=iso-8859-1' },
    },
  }),
  nonsense('a byte that UTF-8 does not have', Buffer.from([0x22, 0xff, 0x22]), noUtf8),
  nonsense('an overlong character', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), noUtf8),
  nonsense('half a surrogate pair in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), noUtf8),
  nonsense('a character that is cut short', Buffer.from([0x22, 0xe2, 0x82]), noUtf8),
  nonsense('gzip that is cut short', '', /compressed body of the response is invalid or incomplete/, {
    reply: {
      headers: { 'content-encoding': 'gzip' },
      text: gzipSync('{"results":[],"has_more":false}').subarray(0, 30),
    },
  }),
  nonsense('gzip of more than 64 MiB', '', /larger than 64 MiB when decompressed/, {
    reply: { headers: { 'content-encoding': 'gzip' }, text: gzipSync(Buffer.alloc(64 * 1024 * 1024 + 1)) },
  }),
  nonsense('text that says it is gzip', '', /compressed body of the response is invalid or incomplete/, {
    reply: { headers: { 'content-encoding': 'gzip' }, text: '{"results":[],"has_more":false}' },
  }),
  ...['constructor', '__proto__', 'hasownproperty', 'gzip, gzip', 'zstd'].map((encoding) =>
    nonsense(`an answer packed as ${encoding}`, '', /unknown content encoding/, {
      reply: { headers: { 'content-encoding': encoding }, text: '{"results":[],"has_more":false}' },
    }),
  ),
];

/** JSON that is no page envelope. What entries there are is printed. */
const envelopes: readonly Fault[] = [
  ...['null', 'true', '0', '-1e400', '"text"', '{}', '[]'].map((text) => nonsense(text, text, noMore)),
  nonsense('a list of entries alone', JSON.stringify([entry(90)]), noMore, { printed: [entry(90)] }),
  nonsense('__proto__', '{"__proto__":{"results":[],"has_more":false}}', noMore),
  nonsense(
    'has_more twice, the last one no boolean',
    '{"results":[1],"has_more":false,"has_more":0}',
    noMore,
    {
      printed: [1],
    },
  ),
  ...['"true"', '"false"', '1', '0', 'null', '[]', '{}', '[false]'].map((value) =>
    nonsense(
      `has_more is ${value}`,
      `{"results":[7,8],"has_more":${value},"continuation_token":"x"}`,
      noMore,
      {
        printed: [7, 8],
      },
    ),
  ),
  nonsense('no has_more', '{"results":[7],"continuation_token":"x"}', noMore, { printed: [7] }),
  ...['null', 'true', '3', '"text"', '{"0":1}'].map((value) =>
    nonsense(
      `results is ${value}`,
      `{"results":${value},"has_more":false,"continuation_token":null}`,
      noList,
    ),
  ),
  nonsense('no results', '{"has_more":true,"continuation_token":"x"}', noList),
  ...['null', '""', '7', 'true', 'false', '[]', '{}', '["x"]'].map((value) =>
    nonsense(
      `the token is ${value}`,
      `{"results":[7],"has_more":true,"continuation_token":${value}}`,
      noToken,
      {
        printed: [7],
      },
    ),
  ),
  nonsense('no token', '{"results":[7],"has_more":true}', noToken, { printed: [7] }),
  nonsense(
    'half a surrogate pair in the token',
    '{"results":[7],"has_more":true,"continuation_token":"a\\udc00"}',
    noWayBack,
    {
      printed: [7],
    },
  ),
  nonsense(
    'an enormous token',
    `{"results":[7],"has_more":true,"continuation_token":"${'t'.repeat(2 ** 21)}"}`,
    noWayBack,
    {
      printed: [7],
    },
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

test('a whole 200 that is no JSON text is 8, paid, and not asked for again', async (t) => {
  await inBatches(cases(bodies), (fault) => checkFault(t, fault));
});

test('a page that cannot be gone on from is printed as far as it makes sense, and is 8', async (t) => {
  await inBatches(cases(envelopes), (fault) => checkFault(t, fault));
});

test('an answer of tiny values that would take gigabytes of memory is 8', async (t) => {
  await checkFault(
    t,
    nonsense(
      'five million values',
      `{"results":[${'1,'.repeat(5_000_000)}1],"has_more":false}`,
      /4 million values/,
    ),
  );
});
