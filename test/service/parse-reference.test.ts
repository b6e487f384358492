import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../src/errors.ts';
import type { ReferenceKind } from '../../src/service/contract.ts';
import { parseReference } from '../../src/service/parse-reference.ts';
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

const refused: Readonly<Record<ReferenceKind, readonly string[]>> = {
  channel: [
    '',
    ' ',
    '@',
    '@a b',
    '@a/b',
    'demo',
    'UC',
    'uCabc',
    `${id} x`,
    'PLdemo',
    '@a\u202eb',
    '@a\u0007',
    'dQw4w9WgXcQ',
    'https://example.com/',
    'https://example.com/watch?v=abc',
    'https://example.com/playlist?list=PLdemo',
    'https://example.com/channel/PLdemo',
    'https://example.com/channel/',
    'https://example.com/@',
    'https://example.com/c/',
    'ftp://example.com/@demo',
    'javascript:alert(1)',
    'https://example.com/@%zz',
    'https://example.com/shorts/abc',
    'https://someone:hunter2@example.com/c/Name',
    // Without a scheme only a URL that carries a handle or an ID is taken.
    'example.com/c/Name',
    'www.example.com/user/Name/',
    'example.com',
    'refs.txt',
    'https://',
    'file/@demo',
  ],
  playlist: [
    '',
    'PL',
    '@demo',
    id,
    'RDabc',
    'plabc',
    'PL a',
    'https://example.com/playlist',
    'https://example.com/playlist?list=RDx',
  ],
};

test('an invalid reference is a usage error that names the expected forms', () => {
  for (const kind of ['channel', 'playlist'] as const)
    for (const text of refused[kind])
      assert.throws(() => parseReference(text, kind), isFailure(2, 'expected'), `${kind} '${text}'`);
});

test('a typo gets a suggestion', () => {
  const hint = (text: string, kind: ReferenceKind): string | undefined => {
    try {
      parseReference(text, kind);
    } catch (error) {
      return error instanceof Failure ? error.hint : undefined;
    }
    return undefined;
  };
  assert.equal(hint('demo', 'channel'), 'did you mean @demo?');
  assert.equal(hint('example.com/c/Name', 'channel'), 'did you mean https://example.com/c/Name?');
  for (const name of ['refs.txt', './refs', '/home/a/list', 'lists/night', '~/refs.csv', '../Refs.TXT']) {
    assert.match(hint(name, 'channel') ?? '', /--from /, name);
    assert.match(hint(name, 'playlist') ?? '', /--from /, name);
  }
  assert.equal(hint('my refs.txt', 'channel'), "to read references from a file: --from 'my refs.txt'");
  assert.equal(hint('-', 'channel'), 'to read references from stdin: --from -');
  assert.throws(
    () => parseReference('./refs', 'channel', false),
    (error) => error instanceof Failure && !error.hint?.includes('--from'),
  );
  assert.equal(hint('dQw4w9WgXcQ', 'channel'), 'that is a video ID; a handle begins with @');
  for (const kind of ['channel', 'playlist'] as const)
    assert.match(hint('https://www.example.com/watch?v=dQw4w9WgXcQ', kind) ?? '', /^that is a video; /);
  assert.match(hint('PLdemo', 'channel') ?? '', /chanlist playlist/);
  assert.match(hint('@demo', 'playlist') ?? '', /chanlist uploads/);
});

test('texts of 300 KB are refused at once, and no message repeats them', () => {
  const length = 300_000;
  const units = ['.', 'a.', '@', '/', 'a/', '%', ' a', 'https://a', '?list=', '-', 'UC', 'PL', '#'];
  const texts = units.flatMap((unit) => {
    const long = unit.repeat(length / unit.length);
    return [long, `@${long}`, `https://a.b/${long}`, `a.b/${long}`, `a.b/?list=PL${long}x`];
  });
  const started = process.cpuUsage();
  for (const text of texts)
    for (const kind of ['channel', 'playlist'] as const)
      assert.throws(
        () => parseReference(text, kind),
        (error) => error instanceof Failure && error.line().length < 400,
      );
  assert.ok(process.cpuUsage(started).user < 5e6);
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
