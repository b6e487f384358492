import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type ExportFixture,
  exportFixture,
  type FixtureRunOptions,
  type Outcome,
  uninterrupted,
} from '../support/exports.ts';
import { fileFormats } from '../support/file-formats.ts';
import { entry, page, scriptedService } from '../support/service.ts';

const list = '@size-35';

const extensions = { ndjson: 'ndjson', csv: 'csv', json: 'json', id: 'id' } as const;
type Format = (typeof fileFormats)[number];

const nameOf = (format: Format): string => `out.${extensions[format]}`;

function update(
  fixture: ExportFixture,
  format: Format = 'id',
  more: readonly string[] = [],
  options: FixtureRunOptions = {},
): Promise<Outcome> {
  return fixture.run(['uploads', list, '-o', nameOf(format), '-f', format, '--update', ...more], options);
}

/** The entries of an exported file, each as the text of its fields. */
function entriesOf(format: Format, text: string): string[] {
  switch (format) {
    case 'json':
      return (JSON.parse(text).results as object[]).map((one) => JSON.stringify(one));
    case 'csv': {
      const rows = text.split(/\n(?=[\w-]{11},)/);
      assert.equal(
        rows[0],
        'videoId,title,channelId,channelTitle,channelHandle,lengthText,viewCountText,thumbnails,index',
      );
      return rows.slice(1).map((row) => row.replace(/\n$/, ''));
    }
    default:
      return text.split('\n').slice(0, -1);
  }
}

for (const format of fileFormats) {
  test(`--update (${format}): a first export, nothing new, then new entries on top of FILE`, async (t) => {
    const fixture = await exportFixture(t);
    const name = nameOf(format);
    const first = await update(fixture, format);
    assert.equal(first.charged, 4);
    assert.equal(first.only.status, 'complete');
    assert.equal(first.only.new, null);
    const before = await fixture.read(name);
    assert.equal(before, await uninterrupted(fixture, ['uploads', list, '-f', format]));

    const nothing = await update(fixture, format);
    assert.equal(nothing.exit, 0);
    assert.equal(nothing.charged, 0);
    assert.equal(nothing.stderr, '');
    assert.deepEqual(
      [nothing.only.status, nothing.only.new, nothing.only.entries, nothing.only.pages],
      ['unchanged', 0, 35, 0],
    );
    assert.equal(await fixture.read(name), before);

    fixture.sandbox.setUploads(list, 38);
    const result = await update(fixture, format);
    assert.equal(result.exit, 0);
    assert.equal(result.stderr, '');
    assert.equal(result.charged, 1);
    const { status, new: added, entries, missing, disappeared, continuation_token: token } = result.only;
    assert.deepEqual(
      { status, added, entries, missing, disappeared, token },
      { status: 'complete', added: 3, entries: 38, missing: 0, disappeared: 0, token: null },
    );
    const now = entriesOf(format, await fixture.read(name));
    const all = entriesOf(format, await uninterrupted(fixture, ['uploads', list, '-f', format]));
    assert.deepEqual(now.slice(0, 3), all.slice(0, 3));
    // Old entries stay as they are: their index is that of the day they were fetched.
    assert.deepEqual(now.slice(3), entriesOf(format, before));
    assert.deepEqual(await fixture.files(), [name]);
    if (format === 'json') {
      const document = JSON.parse(await fixture.read(name));
      assert.deepEqual(Object.keys(document), ['playlist_info', 'results', 'continuation_token', 'has_more']);
      assert.equal(document.playlist_info.numVideos, '38');
      assert.equal(document.continuation_token, null);
      assert.equal(document.has_more, false);
    }
    assert.equal((await update(fixture, format)).charged, 0);
  });

  test(`--update (${format}): interrupted at every page, the same command resumes`, async (t) => {
    const fixture = await exportFixture(t);
    const name = nameOf(format);
    await update(fixture, format);
    const reference = join(fixture.folder, 'whole');
    await writeFile(reference, await fixture.read(name));
    fixture.sandbox.setUploads(list, 35 + 24);
    const whole = await fixture.run(['uploads', list, '-o', 'whole', '-f', format, '--update']);
    assert.equal(whole.charged, 3);
    const before = await fixture.read(name);
    let charged = 0;
    for (const exit of [9, 9, 0]) {
      const result = await update(fixture, format, ['--max-credits', '1', '-v']);
      assert.equal(result.exit, exit, result.stderr);
      charged += result.charged;
      if (exit === 9) assert.equal(await fixture.read(name), before);
      else assert.match(result.stderr, /resuming the export of /);
    }
    assert.equal(charged, 3);
    assert.equal(await fixture.read(name), await readFile(reference, 'utf8'));
    assert.deepEqual(await fixture.files(), [name, 'whole']);
  });
}

test('a full disk during an update: the old FILE stays, and the same command resumes', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture, 'ndjson');
  fixture.sandbox.setUploads(list, 35 + 15);
  const before = await fixture.read('out.ndjson');
  const full = await update(fixture, 'ndjson', [], {
    within: ['bash', '-c', 'ulimit -f 10; exec "$@"', 'bash'],
  });
  assert.equal(full.exit, 1);
  assert.equal(full.charged, 2);
  assert.match(full.stderr, /EFBIG.*2 credits spent/);
  assert.equal(await fixture.read('out.ndjson'), before);
  const again = await update(fixture, 'ndjson');
  assert.equal(again.exit, 0);
  assert.equal(again.charged, 1);
  assert.equal((await fixture.read('out.ndjson')).split('\n').length - 1, 50);
  // Room for the new entries, but not for the old ones below them.
  fixture.sandbox.setUploads(list, 50 + 3);
  const small = await update(fixture, 'ndjson', [], {
    within: ['bash', '-c', 'ulimit -f 12; exec "$@"', 'bash'],
  });
  assert.equal(small.exit, 1);
  assert.equal(small.charged, 1);
  const last = await update(fixture, 'ndjson');
  assert.equal(last.exit, 0);
  assert.equal(last.charged, 0);
  assert.equal((await fixture.read('out.ndjson')).split('\n').length - 1, 53);
  assert.deepEqual(await fixture.files(), ['out.ndjson']);
});

for (const [format, empty] of [
  ['ndjson', ''],
  ['csv', ''],
  ['csv', 'videoId,title,channelId,channelTitle,channelHandle,lengthText,viewCountText,thumbnails,index\n'],
  ['id', ''],
  ['json', ''],
  [
    'json',
    '{"playlist_info":{"title":"x","numVideos":"0"},"results":[],"continuation_token":null,"has_more":false}\n',
  ],
] as const) {
  test(`FILE is empty (${format}, ${empty.length} bytes): every entry is new`, async (t) => {
    const fixture = await exportFixture(t);
    await writeFile(join(fixture.folder, nameOf(format)), empty);
    const result = await update(fixture, format);
    assert.equal(result.exit, 0, result.stderr);
    assert.equal(result.charged, 4);
    assert.equal(
      await fixture.read(nameOf(format)),
      await uninterrupted(fixture, ['uploads', list, '-f', format]),
    );
    assert.deepEqual([result.only.new, result.only.entries], [35, 35]);
    assert.deepEqual(await fixture.files(), [nameOf(format)]);
  });
}

test('a channel without uploads costs nothing from the second night on', async (t) => {
  const fixture = await exportFixture(t);
  for (const format of ['json', 'csv', 'id']) {
    const args = ['uploads', '@empty', '-o', `a.${format}`, '--format', format, '--update'];
    assert.equal((await fixture.run(args)).charged, 1);
    const again = await fixture.run(args);
    assert.equal(again.exit, 0);
    assert.equal(again.charged, 0);
    assert.equal(again.only.status, 'unchanged');
  }
});

for (const format of ['ndjson', 'csv', 'json'] as const) {
  test(`FILE holds another channel (${format}): 2, nothing paid, FILE is as it was`, async (t) => {
    const fixture = await exportFixture(t);
    assert.equal((await fixture.run(['uploads', '@size-5', '-o', nameOf(format)])).exit, 0);
    const before = await fixture.read(nameOf(format));
    const result = await update(fixture, format);
    assert.equal(result.exit, 2);
    assert.equal(result.charged, 0);
    assert.match(
      result.stderr,
      /^chanlist: @size-35: out\.\w+ holds another channel: UC[^\n]*, not UC[^\n]*\n$/,
    );
    assert.equal(await fixture.read(nameOf(format)), before);
    assert.deepEqual(await fixture.files(), [nameOf(format)]);
  });
}

test('an entry of another channel on top does not make FILE the file of that channel', async (t) => {
  const channelId = 'UCtesttesttesttesttestte';
  const service = await scriptedService(t, ({ path }) => {
    if (path.endsWith('resolve')) return { body: { channel_id: channelId, resolved_from: '@test' } };
    if (path.endsWith('latest')) return { body: { channel: { channelId }, results: [entry(5)] } };
    return { body: page(5, 15, 'next', 11) };
  });
  const fixture = await exportFixture(t);
  const guest = { ...entry(6), channelId: 'UCguest' };
  const lines = [guest, entry(7), entry(8)].map((one) => `${JSON.stringify(one)}\n`);
  await writeFile(join(fixture.folder, 'out.ndjson'), lines.join(''));
  const result = await fixture.run(['uploads', '@test', '-o', 'out.ndjson', '--update'], {
    baseUrl: service.url,
    unwatched: true,
  });
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(result.only.new, 7);
});

for (const format of ['ndjson', 'csv', 'json', 'id'] as const) {
  test(`cut short within a line (${format}): 1 names the place, nothing is sent`, async (t) => {
    const fixture = await exportFixture(t);
    await update(fixture, format);
    const text = await fixture.read(nameOf(format));
    await writeFile(join(fixture.folder, nameOf(format)), text.slice(0, -9));
    fixture.sandbox.setUploads(list, 36);
    const sent = fixture.requests.length;
    const result = await update(fixture, format);
    assert.equal(result.exit, 1);
    assert.match(result.stderr, /^chanlist: [^\n]*out\.\w+:\d+: [^\n]*--restart[^\n]*\n$/);
    assert.equal(fixture.requests.length, sent);
    assert.deepEqual(await fixture.files(), [nameOf(format)]);
  });
}

test('damaged in the middle: 1, nothing is sent', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture, 'ndjson');
  const text = await fixture.read('out.ndjson');
  await writeFile(join(fixture.folder, 'out.ndjson'), text.replace('"title":', '"title"'));
  fixture.sandbox.setUploads(list, 36);
  const result = await update(fixture, 'ndjson');
  assert.equal(result.exit, 1);
  assert.equal(result.charged, 0);
  assert.match(result.stderr, /out\.ndjson:\d+: not valid JSON/);
});

test('an interrupted export is finished first, then brought up to date', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await update(fixture, 'id', ['--max-credits', '2'])).exit, 9);
  fixture.sandbox.setUploads(list, 38);
  const result = await update(fixture, 'id', ['-v']);
  assert.equal(result.exit, 0);
  assert.match(result.stderr, /resuming the export of /);
  assert.equal(result.charged, 2 + 1);
  assert.deepEqual([result.only.status, result.only.new, result.only.entries], ['complete', 3, 38]);
  assert.equal(await fixture.read('out.id'), await uninterrupted(fixture, ['uploads', list, '-f', 'id']));
  assert.deepEqual(await fixture.files(), ['out.id']);

  // Nothing new since: what was written is complete, not unchanged.
  const restart = ['uploads', list, '-o', 'out.id', '-f', 'id', '--restart', '--max-credits', '2'];
  assert.equal((await fixture.run(restart)).exit, 9);
  const again = await update(fixture);
  assert.equal(again.charged, 2);
  assert.equal(again.only.status, 'complete');
});

test('an interrupted update and a run without --update: 2, nothing paid, the update stays', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  fixture.sandbox.setUploads(list, 35 + 24);
  assert.equal((await update(fixture, 'id', ['--max-credits', '1'])).exit, 9);
  const result = await fixture.run(['uploads', list, '-o', 'out.id', '-f', 'id']);
  assert.equal(result.exit, 2);
  assert.equal(result.charged, 0);
  assert.match(result.stderr, /the interrupted export differs: with --update; /);
  const on = await update(fixture);
  assert.equal(on.charged, 2);
  assert.equal(on.only.entries, 59);
});

test('FILE and its memory are removed while an update is interrupted: every entry is exported again', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  fixture.sandbox.setUploads(list, 35 + 24);
  assert.equal((await update(fixture, 'id', ['--max-credits', '1'])).exit, 9);
  await rm(join(fixture.folder, 'out.id'));
  await rm(join(fixture.folder, '.chanlist'), { recursive: true });
  const again = await update(fixture);
  assert.equal(again.exit, 0, again.stderr);
  assert.equal(again.charged, 6);
  assert.equal(await fixture.read('out.id'), await uninterrupted(fixture, ['uploads', list, '-f', 'id']));
  assert.deepEqual(await fixture.files(), ['out.id']);
});

test('FILE that is changed while its update is interrupted: the entries are there once', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  fixture.sandbox.setUploads(list, 35 + 24);
  assert.equal((await update(fixture, 'id', ['--max-credits', '1'])).exit, 9);
  // By another export: what the update had is in it already, and must not be there twice.
  const all = await uninterrupted(fixture, ['uploads', list, '-f', 'id']);
  await writeFile(join(fixture.folder, 'out.id'), all);
  const again = await update(fixture);
  assert.equal(again.exit, 0, again.stderr);
  assert.match(again.stderr, /was changed since its update was interrupted; the update starts over/);
  assert.equal(await fixture.read('out.id'), all);
  assert.deepEqual(await fixture.files(), ['out.id']);
});

test('--fields and --format have to be those of FILE: 2 says what differs, nothing is paid', async (t) => {
  for (const format of ['csv', 'json', 'ndjson'] as const) {
    const fixture = await exportFixture(t);
    const fields = ['--fields', 'title,videoId,@reference'];
    assert.equal((await update(fixture, format, fields)).charged, 4);
    fixture.sandbox.setUploads(list, 36);
    for (const [args, says] of [
      [['--fields', 'videoId,title'], /title,videoId,@reference[^\n]*not with videoId,title/],
      [[], /title,videoId,@reference[^\n]*not without/],
    ] as const) {
      const other = await update(fixture, format, args);
      assert.deepEqual([other.exit, other.charged], [2, 0]);
      assert.match(other.stderr, says);
    }
    const other = format === 'csv' ? 'ndjson' : 'csv';
    const args = ['uploads', list, '-o', nameOf(format), '-f', other, '--update', ...fields];
    const unlike = await fixture.run(args);
    assert.deepEqual([unlike.exit, unlike.charged], [2, 0]);
    assert.match(unlike.stderr, new RegExp(`as ${format}, not as ${other}`));
    const result = await update(fixture, format, fields);
    assert.deepEqual([result.exit, result.stderr, result.only.entries], [0, '', 36]);
  }
});

test('--fields are found in FILE, too, if nothing is remembered of it', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await fixture.run(['uploads', list, '-o', 'out.ndjson', '--fields', 'title'])).exit, 0);
  const result = await update(fixture, 'ndjson');
  assert.deepEqual([result.exit, result.charged], [2, 0]);
  assert.match(result.stderr, /its fields are title/);
});

test('--update --restart is a full export', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  const result = await update(fixture, 'id', ['--restart']);
  assert.equal(result.charged, 4);
});

test('latest of any shape: a list of known IDs is nothing new, anything else is no look: 7, nothing bought', async (t) => {
  const id = (n: number): string => String(entry(n).videoId);
  for (const [body, exit] of [
    [[entry(0), entry(1)], 0],
    [{ results: [{ videoId: id(0) }, { videoId: id(1) }] }, 0],
    [{ items: [{ id: { videoId: id(1) } }], etag: 'x' }, 0],
    [{ videos: [id(0), id(2)] }, 0],
    [{ results: [] }, 7],
    [{ results: [{ link: 'https://video.example/v/1' }] }, 7],
    [{ feed: { entry: 'something else' } }, 7],
    ['text', 7],
    [null, 7],
    [{ a: [id(0)], b: [id(1)] }, 7],
    [{ channel: { channelId: 'UCotherotherotherotherot' }, results: [{ videoId: id(0) }] }, 7],
  ] as const) {
    const service = await scriptedService(t, ({ path }) => {
      if (path.endsWith('latest')) return { body };
      if (path.endsWith('resolve'))
        return { body: { channel_id: 'UCtesttesttesttesttestte', resolved_from: '@test' } };
      return { body: page(0, 10, 'next', 20) };
    });
    const fixture = await exportFixture(t);
    await writeFile(
      join(fixture.folder, 'out.id'),
      Array.from({ length: 20 }, (_, n) => `${id(n)}\n`).join(''),
    );
    const on = { baseUrl: service.url, unwatched: true };
    const result = await fixture.run(['uploads', '@test', '-o', 'out.id', '-f', 'id', '--update'], on);
    assert.equal(result.exit, exit, `${JSON.stringify(body)}: ${result.stderr}`);
    assert.equal(result.only.credits.confirmed, 0, JSON.stringify(body));
    assert.equal(result.only.status, exit === 0 ? 'unchanged' : 'failed');
  }
});

test('--dry-run names the first request: resolve, the next page of an interrupted export, latest for an update', async (t) => {
  const fixture = await exportFixture(t);
  const dry = async (): Promise<string> => (await update(fixture, 'id', ['--dry-run'])).stdout;
  assert.match(await dry(), /\/channel\/resolve\?input=.*free, then 1 credit per page\n$/);
  assert.equal((await update(fixture, 'id', ['--max-credits', '1'])).exit, 9);
  assert.match(
    await dry(),
    /\/channel\/videos\?continuation=.*1 credit per page \(resumes after 10 of 35 entries\)\n$/,
  );
  await update(fixture);
  assert.match(
    await dry(),
    /\/channel\/latest\?channel=.*free, then 1 credit per page for new entries \(35 entries so far\)\n$/,
  );
});
