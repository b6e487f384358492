import fc from 'fast-check';
import { specifiedFields } from '../support/specified-fields.ts';

/** A response of the service, byte by byte. */
export interface PlannedResponse {
  readonly status: number;
  readonly body: Buffer;
  /** The body was damaged after it was made: its text is no model of its value. */
  readonly damaged: boolean;
}

/** One call of the program. */
export interface Case {
  readonly command: 'uploads' | 'playlist' | 'search' | 'latest' | 'resolve';
  readonly format: 'ndjson' | 'json' | 'csv' | 'id' | 'table';
  readonly limit: number | null;
  readonly maxCredits: number | null;
  /** The responses of the service, one per request; then 404. */
  readonly responses: readonly PlannedResponse[];
}

/** Characters that something in the program treats differently. */
const odd = [
  ...'\u0000\u0007\b\t\n\r\u001f "\'\\/,;%@{}[]:\u007f\u0085\u009b\u009f\u00a0\u00ad\u200b\u200d',
  ...'\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\ufffd\uffff𝒳\u{10ffff}\ue000',
  ...['\ud800', '\udfff', '\u001b[31m', 'e\u0301', '日本', '👩‍👩‍👧', '🇩🇪', 'مرحبا'],
];
const text = fc.string({
  unit: fc.oneof(fc.constantFrom(...odd), fc.string({ minLength: 1, maxLength: 3 })),
  maxLength: 6,
});
const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1e21, 1e-7),
);
const scalar = fc.oneof(text, numbers, fc.boolean(), fc.constant(null));
const names = [
  ...specifiedFields,
  ...['published', 'value', 'results', 'channel_id', '__proto__', 'constructor', 'toString', '', '0', '10'],
];
const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: text });

/** Members in any order; of equal names the last one counts. */
const object = (value: fc.Arbitrary<unknown>, maxLength: number): fc.Arbitrary<unknown> =>
  fc.array(fc.tuple(name, value), { maxLength }).map((members) => {
    const made: Record<string, unknown> = {};
    for (const [key, each] of members)
      Object.defineProperty(made, key, { value: each, enumerable: true, configurable: true, writable: true });
    return made;
  });
export const { any } = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'value' },
    scalar,
    fc.array(tie('any'), { maxLength: 3, depthIdentifier: 'value' }),
    object(tie('any'), 4),
  ),
}));

const entry = fc.oneof(
  { weight: 8, arbitrary: object(fc.oneof(text, any), 9) },
  { weight: 1, arbitrary: any },
);
const results = fc.array(entry, { maxLength: 4 });
const token = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('a', 'b', 'c', 'd', 'e', '+/= &%') },
  { weight: 1, arbitrary: text },
);

/** Mostly the right kind of value, sometimes any. */
const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 15, arbitrary: right }, { weight: 1, arbitrary: any });

const envelope = fc
  .record(
    {
      results: mostly(results),
      playlist_info: mostly(object(fc.oneof(text, fc.nat().map(String)), 4)),
      continuation_token: mostly(token),
      has_more: mostly(fc.boolean()),
      extra: any,
    },
    { requiredKeys: [] },
  )
  .chain((whole) => {
    // A complete page with more to come, more often than at random.
    const more = fc.oneof(
      { weight: 2, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    );
    const complete = fc.tuple(results, more, token).map(([list, has_more, continuation_token]) => ({
      ...whole,
      results: list,
      has_more,
      continuation_token,
    }));
    return fc.oneof({ weight: 4, arbitrary: complete }, { weight: 1, arbitrary: fc.constant(whole) });
  });
const resolved = mostly(
  fc.record({ channel_id: mostly(text), resolved_from: text, extra: any }, { requiredKeys: ['channel_id'] }),
);
const searched = fc.oneof(
  any,
  results,
  fc.record({ results, result_count: fc.nat() }),
  fc.record({ items: results, x: any }),
);

interface Style {
  readonly space: string;
  readonly escaped: boolean;
}
export const style: fc.Arbitrary<Style> = fc.record({
  space: fc.constantFrom('', '', ' ', '\n', '\t\r\n  '),
  escaped: fc.boolean(),
});

/** A JSON text of a value: with white space between all tokens, and all of its letters escaped. */
export function written(value: unknown, { space, escaped }: Style): string {
  const text = JSON.stringify(value, null, space === '' ? undefined : 1) ?? 'null';
  const spaced = space === '' ? text : text.replace(/\n */g, space);
  return escaped ? spaced.replace(/"(?:[^"\\]|\\.)*"/g, escapeLetters) : spaced;
}

const escapeLetters = (literal: string): string =>
  literal.replace(/\\.|[a-zA-Z\u0080-\uffff]/g, (c) =>
    c.length > 1 ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

type Damage = (bytes: Buffer) => Buffer;
const cut =
  (share: number): Damage =>
  (bytes) =>
    bytes.subarray(0, Math.floor(share * bytes.length));
/** Replaces so many bytes from a place on. */
const splice =
  (at: number, count: number, insert: Uint8Array): Damage =>
  (bytes) => {
    const place = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place + count)]);
  };
export const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }).map(cut),
  fc.tuple(fc.nat(), fc.nat({ max: 255 })).map(([at, byte]) => splice(at, 1, Buffer.of(byte))),
  fc
    .tuple(fc.nat(), fc.constantFrom(...',:{}[]"\\01-+.eEn tu\u0001\ufeff'))
    .map(([at, insert]) => splice(at, 0, Buffer.from(insert))),
  fc.tuple(fc.nat(), fc.nat({ max: 300 })).map(([at, count]) => splice(at, count, Buffer.alloc(0))),
  fc.uint8Array({ maxLength: 12 }).map(
    (bytes): Damage =>
      () =>
        Buffer.from(bytes),
  ),
);
const mark: Damage = (bytes) => Buffer.concat([Buffer.from('\ufeff'), bytes]);

const statuses = [200, 201, 204, 302, 400, 401, 402, 403, 404, 408, 410, 422, 429, 500, 501, 503, 599];

function response(value: fc.Arbitrary<unknown>, look: Style): fc.Arbitrary<PlannedResponse> {
  const damage = fc.oneof(
    { weight: 16, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constant(mark) },
    { weight: 2, arbitrary: damages },
  );
  const status = fc.oneof(
    { weight: 20, arbitrary: fc.constant(200) },
    { weight: 1, arbitrary: fc.constantFrom(...statuses) },
  );
  const refusal = fc.oneof(
    any,
    fc.record({ detail: any }),
    fc.record({ detail: fc.array(fc.record({ loc: any, msg: text })) }),
  );
  return fc.tuple(status, damage, value, refusal).map(([code, harm, body, detail]) => {
    const bytes = Buffer.from(written(code === 200 ? body : detail, look));
    return {
      status: code,
      body: harm === null ? bytes : harm(bytes),
      damaged: harm !== null && harm !== mark,
    };
  });
}

const optional = (number: fc.Arbitrary<number>): fc.Arbitrary<number | null> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: number });

/** Any run, and any responses to it. */
export const cases: fc.Arbitrary<Case> = fc
  .tuple(fc.constantFrom('uploads', 'playlist', 'uploads', 'search', 'latest', 'resolve' as const), style)
  .chain(([command, look]) => {
    const paged = command === 'uploads' || command === 'playlist';
    const body = paged ? envelope : command === 'resolve' ? resolved : searched;
    return fc.record({
      command: fc.constant(command),
      format: fc.constantFrom('ndjson', 'json', 'csv', 'id', 'table' as const),
      limit: paged ? optional(fc.integer({ min: 1, max: 8 })) : fc.constant(null),
      maxCredits: paged ? optional(fc.nat({ max: 4 })) : fc.constant(null),
      responses: fc.array(response(body, look), { minLength: 1, maxLength: paged ? 5 : 1 }),
    }) as fc.Arbitrary<Case>;
  });
