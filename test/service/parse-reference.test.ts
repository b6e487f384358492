import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../src/errors.ts';
import { JsonText } from '../../src/json/json-text.ts';
import type { ReferenceKind } from '../../src/service/contract.ts';
import { parseReference, resolvedId } from '../../src/service/parse-reference.ts';
import { isFailure } from '../support/failures.ts';

const id = 'UCabcdefghijklmnopqrstuv';

type Row = readonly [pasted: string, sent: string];

/** What people paste, parted by |, all of which is sent as the same. */
const sentAs = (sent: string, pasted: string): Row[] => pasted.split('|').map((text) => [text, sent]);

const channels: readonly Row[] = [
  // A quotation mark without its other half.
  ['"https://www.example.com/c/demo', 'https://www.example.com/c/demo'],
  // White space, quotes and brackets around it, punctuation behind it, invisible characters anywhere.
  ...sentAs(
    '@demo',
    '@demo| @demo\u00a0|“@demo”|\'@demo\'|„@demo“|«@demo»|`@demo`|[@demo]|‚@demo‘|@demo;|@demo...|"@demo",',
  ),
  ...sentAs(
    '@demo',
    '"@demo,"|( @demo ).|@demo\u200b|\ufeff@demo|\u202a@demo\u202c|@de\u00admo|@demo%E2%80%8B',
  ),
  ...sentAs('@demo', '((@demo))|(“@demo”)!|＠demo|"＠demo"|@demo),);|@demo>:|@demo !'),
  ...sentAs('@demo', '@demo)|@demo!|@demo:|@demo…|@demo!!|@demo")|@demo”…'),
  ...sentAs('@demo', 'https://example.com/@demo),|https://example.com/@demo/videos!'),
  ...sentAs(id, `(${id}):|https://example.com/channel/${id})`),
  ...sentAs('https://example.com/c/Name', '<https://example.com/c/Name>;|[Name](https://example.com/c/Name)'),
  ...sentAs('@demo', '[the demo](https://www.example.com/@demo)'),
  // Pages of a channel, parameters, percent-encoding.
  ...sentAs('@demo', '@demo/videos|@demo/|@demo?si=abc|@demo#about|%40demo'),
  ...sentAs('@café', '@caf%C3%A9|@cafe\u0301|https://example.com/@cafe%CC%81/videos'),
  ...['@size-1000', '@日本語チャンネル', '@a.b_c·d'].flatMap((handle) => sentAs(handle, handle)),
  ...sentAs(id, `${id}|"${id}"|${id},`),
  ...sentAs('@demo', 'http://example.com/@demo/|HTTPS://EXAMPLE.com/@demo|https://example.com/%40demo'),
  ...sentAs('@demo', '<https://www.example.com/@demo>|https://www.example.com/@demo.|example.com/@demo'),
  ...sentAs('@demo', 'https://example.com/@demo?si=abc&feature=share|https://www.example.com/@demo/live'),
  ...sentAs('@demo', 'https://www.example.com/@demo/search?query=bread|m.example.com/@demo?si=1#x'),
  ...sentAs('@demo', 'www.example.com/@demo/videos|localhost:8080/@demo'),
  ...sentAs(
    id,
    `www.example.com/channel/${id}/videos|https://example.com/channel/${id},|${id}/videos|\u0085${id}/`,
  ),
  ...sentAs(id, `https://studio.example.com/channel/${id}/videos/upload?filter=%5B%5D`),
  ...sentAs(id, `https://mirror.example/en/channel/${id}/|https://example.com/${id}`),
  ...sentAs(id, `example.com/feeds/videos.xml?channel_id=${id}`),
  // A channel URL that contains neither is sent character for character.
  ...[
    'https://www.example.com/c/Some%20Name/videos',
    'HTTPS://Example.com:443/Name',
    'https://example.com/c/Zürich?a=1&b=%2f#top',
    'https://mirror.example/a/../b',
    'https://example.com/c/Name_(x)',
    'https://example.com/c/Name!',
  ].flatMap((url) => sentAs(url, url)),
];

const playlists: readonly Row[] = [
  ...['PL', 'UU', 'LL', 'FL', 'OL'].flatMap((prefix) => sentAs(`${prefix}demo-_9`, `${prefix}demo-_9`)),
  ...sentAs('PLabc', 'VLPLabc|“PLabc”|PLabc,|PLabc/|P\u200bLabc|https://youtu.be/x?list=PLabc|PLabc):'),
  ...sentAs('PLabc', 'https://www.example.com/watch?v=abcdefghijk&list=PLabc&index=3'),
  ...sentAs('PLabc', 'https://www.example.com/browse/VLPLabc|m.example.com/playlist?list=VLPLabc'),
  ...sentAs('PLabc', '<https://example.com/playlist?list=PLabc>|https://example.com/playlist/?list=PLabc/'),
  ...sentAs('PLabc', 'https://www.example.com/playlist?list=PLabc)!'),
  ...sentAs('UUxyz', 'https://www.example.com/shorts/abcdefghijk?list=UUxyz'),
];

const ofVideo = '; open the video and copy the address or @handle of its channel';
const ofPlaylist = '; open the playlist and copy its address';
const several =
  'is more than one reference: expected |; give each one by itself, without other text: one per argument or line';
const quoteIt = '; if the address continues after &, quote it';

/** What is not a channel reference, and all that the refusal says of it, parted by |. */
const notChannels: readonly Row[] = [
  ['@demo,@odd', several],
  ['@demo, @odd', several],
  ['@demo/videos,@odd', several],
  [`${id},${id}`, several],
  [
    'Look: https://www.example.com/@demo',
    'is a reference with other text: expected |; give the reference alone',
  ],
  ['https://www.example.com/watch?v=abcdefghijk&amp;list=PLabc', '; did you mean: chanlist playlist PLabc'],
  ['https://www.example.com/watch?v=abcdefghijk', `is a video: expected a handle|${ofVideo}`],
  ['www.example.com/watch?v=abcdefghijk', 'is a video'],
  ['https://youtu.be/abcdefghijk)', `is a video|${ofVideo}`],
  ['dQw4w9WgXcQ', 'if it is a handle, write @dQw4w9WgXcQ; if a video ID, open the video'],
  ['ucdemo__________________', '; did you mean UCdemo__________________?'],
  ['demo!', "'demo' is not a channel reference: |; did you mean @demo?"],
  ['https://www.example.com/shorts/abcdefghijk', 'is a video'],
  ['https://www.example.com/shorts/', 'is a video'],
  ['https://www.example.com/live/abcdefghijk', 'is a video'],
  ['https://www.example.com/embed/abcdefghijk', 'is a video'],
  ['https://www.example.com/v/abcdefghijk', 'is a video'],
  ['https://studio.example.com/video/abcdefghijk/edit', 'is a video'],
  ['https://www.example.com/clip/Ugkxabc', 'is a clip of a video'],
  ['https://www.example.com/post/Ugkxabc', 'is a post'],
  [
    '[x](https://www.example.com/watch?v=abcdefghijk)',
    "'https://www.example.com/watch?v=abcdefghijk' is a video|",
  ],
  ['[', "'[' is not a channel reference"],
  ['https://www.example.com/feed/subscriptions', 'is a feed page'],
  ['https://www.example.com/results?search_query=bread', 'is a search page'],
  ['https://www.example.com/hashtag/bread', 'is a hashtag page'],
  ['https://www.example.com/playlist?list=PLabc', 'is a playlist: |; did you mean: chanlist playlist PLabc'],
  [
    'https://www.example.com/watch?v=abcdefghijk&list=PLabc',
    'is a playlist: |; did you mean: chanlist playlist PLabc',
  ],
  ['https://www.example.com/watch?v=abcdefghijk&list=RDabc', 'is a mix'],
  ['https://www.example.com/playlist?list=WL', 'is a private list'],
  ['WL', 'is a private list'],
  ['RDabc', 'is a mix'],
  ['https://www.example.com/playlist', 'is a playlist page'],
  ['PLdemo', '; did you mean: chanlist playlist PLdemo'],
  ['demo', '; did you mean @demo?'],
  // Editors and web pages write two hyphens as a dash.
  ['—limit', '; did you mean --limit?'],
  ['–-output-dir', '; did you mean --output-dir?'],
  ['"demo",', "'demo' is not a channel reference: |; did you mean @demo?"],
  ['example.com/c/Name', '; did you mean https://example.com/c/Name?'],
  ['www.example.com/c/Name', '; did you mean https://www.example.com/c/Name?'],
  ...[
    ...['', ' ', '@', '""', '@a b', `${id} x`, '@a\u0007', '@a\\b', '@a@b', '@a%2Fb', '@%zz', '@100%', '@,'],
    ...[
      '.title',
      '-x',
      'www.example.com',
      'UC',
      'uCabc',
      'refs.txt',
      'file/@demo',
      'https://',
      'https://example.com/',
      'x'.repeat(4097),
    ],
    ...['@a(b)', '＠', 'de＠mo', '＠de mo', '@＠demo', 'ftp://example.com/@demo', 'javascript:alert(1)'],
    ...['https://example.com/channel/PLdemo', 'https://example.com/channel/', 'https://example.com/@'],
    ...['https://example.com/c/', 'https://example.com/@%zz', 'https://someone:hunter2@example.com/c/Name'],
    ...['example.com', 'Channel Id,Channel Url'],
  ].map((text) => [text, 'is not a channel reference: expected a handle'] as const),
];

const notPlaylists: readonly Row[] = [
  ['https://www.example.com/watch?v=abcdefghijk', `is a video|${quoteIt}`],
  ['https://youtu.be/abcdefghijk', `is a video: expected a playlist URL|${ofPlaylist}`],
  ['https://www.example.com/playlist?si=abc', 'is a playlist page'],
  ['https://www.example.com/playlist?list=RDabc', 'is a mix, which the service does not list'],
  ['https://www.example.com/playlist?list=WL', 'is a private list'],
  ['https://www.example.com/playlist?list=VLRDabc', 'is a mix'],
  ...['RDabc', 'VLRDabc'].map((text) => [text, 'is a mix'] as const),
  ...['WL', 'VLWL'].map((text) => [text, 'is a private list'] as const),
  ['LL', 'is a private list'],
  ['@demo', 'is a channel: expected a playlist URL|; did you mean: chanlist uploads @demo'],
  [
    'https://example.com/user/Name',
    'is a channel|; did you mean: chanlist uploads https://example.com/user/Name',
  ],
  [id, `is a channel|; did you mean: chanlist uploads ${id}`],
  ['PLabc,PLdef', several],
  ...['', 'PL', 'PL a', 'plabc', 'https://example.com/', 'https://example.com/Name'].map(
    (text) => [text, 'is not a playlist reference: expected a playlist URL'] as const,
  ),
];

test('what people paste is sent as its handle or ID, or as the URL that it is', () => {
  for (const [kind, rows] of [
    ['channel', channels],
    ['playlist', playlists],
  ] as const)
    for (const [pasted, sent] of rows) assert.equal(parseReference(pasted, kind).value, sent, pasted);
});

test('what is something else is refused by its name, with what was expected, or what was meant', () => {
  for (const [kind, rows] of [
    ['channel', notChannels],
    ['playlist', notPlaylists],
  ] as const)
    for (const [pasted, says] of rows)
      assert.throws(() => parseReference(pasted, kind), isFailure(2, 'expected', ...says.split('|')), pasted);
});

test('what is not missing is not advised: no step, or another one', () => {
  for (const [kind, pasted, advice] of [
    ['playlist', 'https://www.example.com/playlist?list=RDabc', '; '],
    ['playlist', 'https://www.example.com/playlist?list=WL', '; '],
    ['playlist', 'https://www.example.com/watch?v=abcdefghijk&list=RDabc', '; '],
    ['playlist', 'https://www.example.com/playlist?si=abc', '; '],
    ['playlist', 'https://www.example.com/watch?v=abcdefghijk&list=', 'quote it'],
    ['channel', 'dQw4w9WgXcQ', 'did you mean'],
    ['channel', 'watch?v=abcdefghijk', 'did you mean'],
    ['channel', 'de＠mo', 'did you mean'],
    ['channel', '＠', 'did you mean'],
    ['channel', '---', 'did you mean'],
  ] as const)
    assert.throws(
      () => parseReference(pasted, kind),
      (error) => error instanceof Failure && !error.line().includes(advice),
      pasted,
    );
});

test('a reference is as given, without what was around it; its ID is known if it has one', () => {
  const url = `https://example.com/channel/${id}/videos`;
  assert.deepEqual(parseReference(` <${url}>,`, 'channel'), { given: url, value: id, id });
  assert.deepEqual(parseReference('@demo', 'channel'), { given: '@demo', value: '@demo', id: null });
});

test('an ID of resolve names a file: it is UC and letters, digits, - and _', () => {
  const resolved = (channel_id: unknown): JsonText => JsonText.of(JSON.stringify({ channel_id }));
  for (const good of ['UCa', 'UC-_9', id]) assert.equal(resolvedId(resolved(good)), good);
  for (const bad of [...'.. -x CON UC uca UC/../x UCa.b'.split(' '), 'UCa b', `UC${'a'.repeat(99)}`, '', 7])
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
    {
      numRuns: 2000,
      examples: [
        ['@demo\u1fef', 'channel'],
        ['https://example.com/@demo\u1fef', 'channel'],
      ],
    },
  );
});
