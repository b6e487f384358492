import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../src/errors.ts';
import { JsonText } from '../../src/json/json-text.ts';
import type { ReferenceKind } from '../../src/service/contract.ts';
import { parseReference, resolvedId } from '../../src/service/parse-reference.ts';
import { isFailure } from '../support/failures.ts';

const id = 'UCabcdefghijklmnopqrstuv';

const channels: readonly (readonly [typed: string, sent: string, id: string | null])[] = [
  ['@demo', '@demo', null],
  ['  @demo\t', '@demo', null],
  ['@size-1000', '@size-1000', null],
  ['@日本語チャンネル', '@日本語チャンネル', null],
  ['@a.b_c·d', '@a.b_c·d', null],
  [id, id, id],
  ['https://www.example.com/@demo', '@demo', null],
  ['http://example.com/@demo/', '@demo', null],
  ['HTTPS://EXAMPLE.com/@demo', '@demo', null],
  ['example.com/@demo', '@demo', null],
  ['www.example.com/@demo/videos', '@demo', null],
  ['m.example.com/@demo?si=1#x', '@demo', null],
  ['localhost:8080/@demo', '@demo', null],
  ['https://example.com/%40demo', '@demo', null],
  ['https://example.com/@%E6%97%A5', '@日', null],
  [`https://example.com/channel/${id}`, id, id],
  [`m.example.com/channel/${id}/featured`, id, id],
  [`https://mirror.example/en/channel/${id}/`, id, id],
  [`example.com/feeds/videos.xml?channel_id=${id}`, id, id],
  // A channel URL that contains neither is sent character for character.
  ...[
    'https://www.example.com/c/Some%20Name/videos',
    'http://m.example.com/user/Name/',
    'HTTPS://Example.com:443/Name',
    'https://example.com/c/Zürich?a=1&b=%2f#top',
    'https://mirror.example/a/../b',
  ].map((url) => [url, url, null] as const),
];

test('channel references: handles, URLs in every form and IDs', () => {
  for (const [typed, sent, found] of channels) {
    const reference = parseReference(typed, 'channel');
    assert.equal(reference.value, sent, typed);
    assert.equal(reference.id, found, typed);
    assert.equal(reference.reference, typed.trim());
  }
});

const playlists: readonly (readonly [typed: string, sent: string])[] = [
  ...['PL', 'UU', 'LL', 'FL', 'OL'].map((prefix) => [`${prefix}demo-_9`, `${prefix}demo-_9`] as const),
  ['https://www.example.com/playlist?list=PLdemo', 'PLdemo'],
  ['example.com/watch?v=abc&list=UUxyz&index=2', 'UUxyz'],
  ['m.example.com/playlist?list=OLAK5uy', 'OLAK5uy'],
  ['https://example.com/playlist/?list=PLdemo/', 'PLdemo'],
];

test('playlist references: the five ID forms, and the list= of a URL (specification 4.5)', () => {
  for (const [typed, sent] of playlists) assert.equal(parseReference(typed, 'playlist').value, sent, typed);
});

const split = (text: string): string[] => text.split(' | ');
const refused: Readonly<Record<ReferenceKind, readonly string[]>> = {
  channel: [
    ...['', ' ', '@a b', `${id} x`, '@a\u202eb', '@a\u0007'],
    ...split('@ | @a/b | demo | UC | uCabc | PLdemo | dQw4w9WgXcQ | refs.txt | file/@demo | https://'),
    ...split('https://example.com/ | https://example.com/watch?v=abc | https://example.com/shorts/abc'),
    ...split('https://example.com/playlist?list=PLdemo | https://example.com/channel/PLdemo'),
    ...split('https://example.com/channel/ | https://example.com/@ | https://example.com/c/'),
    ...split('https://example.com/@%zz | https://someone:hunter2@example.com/c/Name'),
    ...split('ftp://example.com/@demo | javascript:alert(1)'),
    // Without a scheme only a URL that carries a handle or an ID is taken.
    ...split('example.com/c/Name | www.example.com/user/Name/ | example.com'),
  ],
  playlist: [
    ...['', id, 'PL a'],
    ...split(
      'PL | @demo | RDabc | plabc | https://example.com/playlist | https://example.com/playlist?list=RDx',
    ),
  ],
};

test('an invalid reference is a usage error that names the expected forms', () => {
  for (const kind of ['channel', 'playlist'] as const)
    for (const text of refused[kind])
      assert.throws(() => parseReference(text, kind), isFailure(2, 'expected'), `${kind} '${text}'`);
});

test('the hint of what was meant instead', () => {
  const hints: readonly (readonly [typed: string, kind: ReferenceKind, next: string | null])[] = [
    ['demo', 'channel', 'did you mean @demo?'],
    ['PLdemo', 'channel', 'that is a playlist: use chanlist playlist'],
    ['@demo', 'playlist', 'that is a channel: use chanlist uploads'],
    ['example.com/c/Name', 'channel', null],
  ];
  for (const [typed, kind, hint] of hints)
    assert.throws(() => parseReference(typed, kind), { next: hint }, typed);
});

test('an ID of resolve names a file: it is UC and letters, digits, - and _', () => {
  const resolved = (channel_id: unknown): JsonText => JsonText.of(JSON.stringify({ channel_id }));
  for (const good of ['UCa', 'UC-_9', id]) assert.equal(resolvedId(resolved(good)), good);
  for (const bad of [
    '..',
    '-x',
    'CON',
    'UC',
    'uca',
    'UC/../x',
    'UCa b',
    'UCa.b',
    `UC${'a'.repeat(99)}`,
    '',
    7,
  ])
    assert.throws(() => resolvedId(resolved(bad)), isFailure(8, 'no valid channel_id'), String(bad));
});

test('property: any text gives a reference that can be sent, or a usage error', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }).map((s) => `@${s}`),
    fc.webUrl({ withQueryParameters: true }),
    fc.string().map((s) => `https://example.com/@${s}`),
    fc.string().map((s) => `PL${s}`),
  );
  fc.assert(
    fc.property(text, fc.constantFrom<ReferenceKind>('channel', 'playlist'), (typed, kind) => {
      try {
        const { value } = parseReference(typed, kind);
        assert.doesNotMatch(value, /[\s\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        assert.ok(value.isWellFormed());
        // Read again it is the same: what is sent is canonical.
        assert.equal(parseReference(value, kind).value, value);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        assert.equal(error.exit, 2);
      }
    }),
    { numRuns: 2000 },
  );
});
