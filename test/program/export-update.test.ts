import assert from 'node:assert/strict';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type ExportFixture,
  exportFixture,
  type FixtureRunOptions,
  fileFormats,
  type Outcome,
  uninterrupted,
} from '../support/exports.ts';
import { entry, page, scriptedService } from '../support/service.ts';

const list = '@size-35';
const pageSize = 10;

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
  test(`--update (${format}): a first export, nothing new, new ones on top, atomically`, async (t) => {
    const fixture = await exportFixture(t);
    const name = nameOf(format);
    const first = await update(fixture, format);
    assert.equal(first.charged, 4);
    assert.equal(first.only.status, 'complete');
    assert.equal(first.only.new, 35);
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

  test(`--update (${format}): interrupted at every page, the same command continues`, async (t) => {
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
      else assert.match(result.stderr, /going on with what was interrupted; begun /);
    }
    assert.equal(charged, 3);
    assert.equal(await fixture.read(name), await readFile(reference, 'utf8'));
    assert.deepEqual(await fixture.files(), [name, 'whole']);
  });
}

test('--update costs ceil((new + 1) / page size), 0 where nothing is new', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  let uploads = 35;
  for (const added of [0, 1, 8, 9, 10, 11, 19, 20, 30]) {
    uploads += added;
    fixture.sandbox.setUploads(list, uploads);
    const result = await update(fixture);
    assert.equal(result.exit, 0);
    assert.equal(result.charged, added === 0 ? 0 : Math.ceil((added + 1) / pageSize), `${added} new`);
    assert.equal(result.only.new, added);
    assert.equal(result.only.entries, uploads);
    assert.equal(await fixture.read('out.id'), await uninterrupted(fixture, ['uploads', list, '-f', 'id']));
  }
});

test('a full disk, a broken answer, no credits under an update: the old FILE stays, then it goes on', async (t) => {
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
  // Room for the new entries, but not for the old ones behind them.
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

test('latest ahead of uploads: what the list does not show yet comes another night', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  const before = await fixture.read('out.id');
  fixture.sandbox.latestAhead(list, 2);
  const ahead = await update(fixture);
  assert.equal(ahead.exit, 0);
  assert.equal(ahead.charged, 1);
  assert.deepEqual([ahead.only.status, ahead.only.new, ahead.only.entries], ['unchanged', 0, 35]);
  assert.equal(await fixture.read('out.id'), before);
  assert.deepEqual(await fixture.files(), ['out.id']);
  fixture.sandbox.latestAhead(list, 0);
  fixture.sandbox.setUploads(list, 37);
  const shown = await update(fixture);
  assert.equal(shown.only.new, 2);
  assert.equal(await fixture.read('out.id'), await uninterrupted(fixture, ['uploads', list, '-f', 'id']));
});

test('latest ahead by more than it holds: still one page', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  fixture.sandbox.latestAhead(list, 20);
  const result = await update(fixture);
  assert.equal(result.exit, 0);
  assert.equal(result.charged, 1);
  assert.equal(result.only.new, 0);
});

test('the known entry at the boundary was deleted: the next known one ends it; disappeared ones are in the summary', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  const before = (await fixture.read('out.id')).split('\n').slice(0, -1);
  for (const id of before.slice(0, 3)) fixture.sandbox.hide(list, id);
  fixture.sandbox.setUploads(list, 37);
  const result = await update(fixture);
  assert.equal(result.exit, 0);
  assert.equal(result.charged, 1);
  assert.equal(result.stderr, '');
  assert.deepEqual([result.only.new, result.only.disappeared, result.only.missing], [2, 3, 0]);
  assert.deepEqual((await fixture.read('out.id')).split('\n').slice(2, -1), before);
});

test('exactly a page is new, and the boundary entry behind it was deleted', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  const [newest = ''] = (await fixture.read('out.id')).split('\n');
  fixture.sandbox.hide(list, newest);
  fixture.sandbox.setUploads(list, 45);
  const result = await update(fixture);
  assert.equal(result.charged, 2);
  assert.equal(result.only.new, 10);
  assert.equal(result.only.entries, 45);
  assert.equal(result.only.disappeared, 1);
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
  test(`FILE is empty (${format}, ${empty.length} bytes): everything is new`, async (t) => {
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

test('a channel without uploads: 0 credits from the second night on', async (t) => {
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
  test(`FILE holds another channel (${format}): 2, nothing paid, FILE as it was`, async (t) => {
    const fixture = await exportFixture(t);
    assert.equal((await fixture.run(['uploads', '@size-5', '-o', nameOf(format)])).exit, 0);
    const before = await fixture.read(nameOf(format));
    const result = await update(fixture, format);
    assert.equal(result.exit, 2);
    assert.equal(result.charged, 0);
    assert.match(result.stderr, /^chanlist: out\.\w+ holds another channel: UC[^\n]*@size-35[^\n]*\n$/);
    assert.equal(await fixture.read(nameOf(format)), before);
    assert.deepEqual(await fixture.files(), [nameOf(format)]);
  });
}

test("a guest's video on top does not make it another channel's file", async (t) => {
  const service = await scriptedService(t, ({ path }) =>
    path.endsWith('latest')
      ? { body: { channel: { channelId: 'UCtesttesttesttesttestte' }, results: [entry(5)] } }
      : { body: page(5, 15, 'next', 11) },
  );
  const fixture = await exportFixture(t);
  const guest = { ...entry(6), channelId: 'UCguest' };
  const lines = [guest, entry(7), entry(8)].map((one) => `${JSON.stringify(one)}\n`);
  await writeFile(join(fixture.folder, 'out.ndjson'), lines.join(''));
  const result = await fixture.run(['uploads', '@test', '-o', 'out.ndjson', '--update'], {
    baseUrl: service.url,
    unwatched: true,
  });
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(result.only.new, 1);
});

test('hand-edited: lines taken out, sorted or with spaces are fine; missing ones are told with the mend', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture, 'ndjson');
  const lines = (await fixture.read('out.ndjson')).split('\n').slice(0, -1);
  const spaced = lines.map((line) => JSON.stringify(JSON.parse(line), null, 1).replaceAll('\n', ' '));
  const edited = [...spaced.slice(0, 5), '', ...spaced.slice(12)].reverse();
  await writeFile(join(fixture.folder, 'out.ndjson'), `${edited.join('\r\n')}\n`);
  assert.equal((await update(fixture, 'ndjson')).charged, 1, 'of the latest 15, 7 are not there any more');
  fixture.sandbox.setUploads(list, 36);
  const result = await update(fixture, 'ndjson', ['-q']);
  assert.equal(result.exit, 0);
  assert.equal(result.only.missing, 7);
  assert.equal(result.stderr, '');
});

test('cut short at a line end: told with the mend, which mends it', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture, 'csv');
  const text = await fixture.read('out.csv');
  const rows = text.split(/\n(?=[\w-]{11},)/);
  await writeFile(join(fixture.folder, 'out.csv'), `${rows.slice(0, 21).join('\n')}\n`);
  fixture.sandbox.setUploads(list, 36);
  const result = await update(fixture, 'csv');
  assert.equal(result.exit, 0);
  assert.deepEqual([result.only.new, result.only.entries, result.only.missing], [1, 21, 15]);
  assert.match(
    result.stderr,
    /^chanlist: out\.csv: 15 of 36 videos are missing; fix it for about 1 credit with: chanlist uploads @size-35 [^\n]*--restart\n$/,
  );
  const mend = /with: chanlist ([^\n]+)\n/.exec(result.stderr)?.[1]?.split(' ') ?? [];
  assert.equal(
    (await fixture.run(mend.filter((word) => !word.includes('--summary') && !word.endsWith('.json')))).exit,
    0,
  );
  assert.equal(await fixture.read('out.csv'), await uninterrupted(fixture, ['uploads', list, '-f', 'csv']));
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

test('damaged in the middle: 1 before anything is paid', async (t) => {
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

test('FILE was made with --fields title: 2, nothing is sent', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await fixture.run(['uploads', list, '-o', 'out.ndjson', '--fields', 'title'])).exit, 0);
  const sent = fixture.requests.length;
  const result = await update(fixture, 'ndjson');
  assert.equal(result.exit, 2);
  assert.match(result.stderr, /its fields are title/);
  assert.equal(fixture.requests.length, sent);
});

test('--fields as FILE has them: updated; others: 2, nothing paid', async (t) => {
  for (const format of ['csv', 'json', 'ndjson'] as const) {
    const fixture = await exportFixture(t);
    const fields = ['--fields', 'title,videoId,@reference'];
    assert.equal((await update(fixture, format, fields)).charged, 4);
    fixture.sandbox.setUploads(list, 36);
    const other = await update(fixture, format, ['--fields', 'videoId,title']);
    assert.equal(other.exit, 2);
    assert.equal(other.charged, 0);
    const result = await update(fixture, format, fields);
    assert.equal(result.exit, 0, result.stderr);
    assert.equal(result.only.entries, 36);
  }
});

test('nothing known on the first page, though latest is not wholly new: 8, one credit, FILE as it was', async (t) => {
  const service = await scriptedService(t, ({ path, query }) => {
    if (path.endsWith('latest')) return { body: { results: [entry(900), entry(1)] } };
    return { body: query.has('continuation') ? page(110, 120, null) : page(100, 110, 'next') };
  });
  const fixture = await exportFixture(t);
  const old = `${entry(1).videoId}\n`;
  await writeFile(join(fixture.folder, 'out.id'), old);
  const on = { baseUrl: service.url, unwatched: true };
  const result = await fixture.run(['uploads', '@test', '-o', 'out.id', '-f', 'id', '--update'], on);
  assert.equal(result.exit, 8);
  assert.deepEqual(result.only.credits, { confirmed: 1, possibly_charged: 0 });
  assert.match(result.stderr, /none of the first page's videos is in out\.id[^\n]*1 credit spent/);
  assert.equal(await fixture.read('out.id'), old);
  assert.deepEqual(await fixture.files(), ['out.id']);
});

test('latest is wholly new: pages until the first known video', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  fixture.sandbox.setUploads(list, 35 + 32);
  const result = await update(fixture);
  assert.equal(result.charged, 4);
  assert.equal(result.only.new, 32);
});

test('an interrupted export is finished first, then brought up to date', async (t) => {
  const fixture = await exportFixture(t);
  assert.equal((await update(fixture, 'id', ['--max-credits', '2'])).exit, 9);
  fixture.sandbox.setUploads(list, 38);
  const result = await update(fixture, 'id', ['-v']);
  assert.equal(result.exit, 0);
  assert.match(result.stderr, /going on with what was interrupted/);
  assert.equal(result.charged, 2 + 1);
  assert.deepEqual([result.only.status, result.only.new, result.only.entries], ['complete', 38, 38]);
  assert.equal(await fixture.read('out.id'), await uninterrupted(fixture, ['uploads', list, '-f', 'id']));
  assert.deepEqual(await fixture.files(), ['out.id']);

  // Begun without --update, and nothing new since: what was written is complete, not unchanged.
  assert.equal(
    (await fixture.run(['uploads', list, '-o', 'out.id', '-f', 'id', '--max-credits', '2'])).exit,
    9,
  );
  const again = await update(fixture);
  assert.equal(again.charged, 2);
  assert.equal(again.only.status, 'complete');
});

test('an interrupted update and a run without --update: 2, nothing paid, nothing lost', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  fixture.sandbox.setUploads(list, 35 + 24);
  assert.equal((await update(fixture, 'id', ['--max-credits', '1'])).exit, 9);
  const result = await fixture.run(['uploads', list, '-o', 'out.id', '-f', 'id']);
  assert.equal(result.exit, 2);
  assert.equal(result.charged, 0);
  assert.match(result.stderr, /the interrupted export is with --update/);
  const on = await update(fixture);
  assert.equal(on.charged, 2);
  assert.equal(on.only.entries, 59);
});

test('begun, but without a page: another kind of run is free to begin', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  fixture.onRequest = (line) => {
    if (line.includes('/videos')) kill();
  };
  let kill = (): void => {};
  fixture.sandbox.setUploads(list, 36);
  const options: FixtureRunOptions = {
    started: (child) => {
      kill = () => child.kill('SIGKILL');
    },
  };
  // A plain export that died before its first page, then nothing but an update: not a whole export again.
  assert.equal((await fixture.run(['uploads', list, '-o', 'out.id', '-f', 'id'], options)).signal, 'SIGKILL');
  fixture.onRequest = () => {};
  const result = await update(fixture);
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(result.charged, 1);
  assert.equal(result.only.new, 1);
  assert.deepEqual(await fixture.files(), ['out.id']);
});

test('FILE was changed while its update was interrupted', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  fixture.sandbox.setUploads(list, 35 + 24);
  assert.equal((await update(fixture, 'id', ['--max-credits', '1'])).exit, 9);
  // By hand, in a way that does not matter: nothing is paid again.
  const text = await fixture.read('out.id');
  await writeFile(join(fixture.folder, 'out.id'), text.split('\n').slice(0, 20).join('\n').concat('\n'));
  const result = await update(fixture);
  assert.equal(result.charged, 2);
  assert.deepEqual([result.only.new, result.only.missing], [24, 15]);

  // By an export of its own: what the update had is in it already, and must not be there twice.
  fixture.sandbox.setUploads(list, 59 + 24);
  assert.equal((await update(fixture, 'id', ['--max-credits', '1'])).exit, 9);
  const all = await uninterrupted(fixture, ['uploads', list, '-f', 'id']);
  await writeFile(join(fixture.folder, 'out.id'), all);
  const again = await update(fixture);
  assert.equal(again.exit, 0);
  assert.match(again.stderr, /was changed meanwhile/);
  assert.equal(await fixture.read('out.id'), all);
  assert.deepEqual(await fixture.files(), ['out.id']);
});

test('FILE was removed while its update was interrupted: a full export, what is paid for counts', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  fixture.sandbox.setUploads(list, 35 + 24);
  assert.equal((await update(fixture, 'id', ['--max-credits', '1'])).exit, 9);
  await rm(join(fixture.folder, 'out.id'));
  const result = await update(fixture);
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(result.charged, 5);
  assert.equal(await fixture.read('out.id'), await uninterrupted(fixture, ['uploads', list, '-f', 'id']));
});

test('--update --restart is a full export', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  const result = await update(fixture, 'id', ['--restart']);
  assert.equal(result.charged, 4);
});

test('uploads that come in while an update is interrupted are not lost and not there twice', async (t) => {
  const fixture = await exportFixture(t);
  await update(fixture);
  fixture.sandbox.setUploads(list, 35 + 24);
  assert.equal((await update(fixture, 'id', ['--max-credits', '1'])).exit, 9);
  fixture.sandbox.setUploads(list, 35 + 24 + 4);
  const result = await update(fixture);
  assert.equal(result.exit, 0);
  assert.equal(await fixture.read('out.id'), await uninterrupted(fixture, ['uploads', list, '-f', 'id']));
  assert.deepEqual([result.only.new, result.only.entries], [28, 63]);
});

test('latest in any shape: known IDs are found in it; where they are not, one page tells', async (t) => {
  const id = (n: number): string => String(entry(n).videoId);
  for (const [body, requests] of [
    [[entry(0), entry(1)], 0],
    [{ results: [{ videoId: id(0) }, { videoId: id(1) }] }, 0],
    [{ items: [{ id: id(0), title: 'a' }] }, 0],
    [{ items: [{ id: { videoId: id(1) } }], etag: 'x' }, 0],
    [{ videos: [id(0), id(2)] }, 0],
    [{ results: [] }, 0],
    [{ results: [{ link: 'https://video.example/v/1' }] }, 1],
    [{ feed: { entry: 'something else' } }, 1],
    ['text', 1],
    [null, 1],
    [{ a: [id(0)], b: [id(1)] }, 1],
  ] as const) {
    const service = await scriptedService(t, ({ path }) => ({
      body: path.endsWith('latest') ? body : page(0, 10, 'next', 20),
    }));
    const fixture = await exportFixture(t);
    await writeFile(
      join(fixture.folder, 'out.id'),
      Array.from({ length: 20 }, (_, n) => `${id(n)}\n`).join(''),
    );
    const on = { baseUrl: service.url, unwatched: true };
    const result = await fixture.run(['uploads', '@test', '-o', 'out.id', '-f', 'id', '--update'], on);
    assert.equal(result.exit, 0, `${JSON.stringify(body)}: ${result.stderr}`);
    assert.equal(result.only.credits.confirmed, requests, JSON.stringify(body));
    assert.deepEqual([result.only.new, result.only.status], [0, 'unchanged']);
  }
});

test('a file that does not say whose it is, and of which nothing is in the list: 8, it stays, nothing is paid twice', async (t) => {
  const service = await scriptedService(t, ({ path, query }) => {
    if (path.endsWith('latest')) return { body: { results: [entry(0)] } };
    return { body: query.has('continuation') ? page(10, 20, null) : page(0, 10, 'next', 20) };
  });
  const fixture = await exportFixture(t);
  const others = 'another1\nanother2\n';
  await writeFile(join(fixture.folder, 'out.id'), others);
  const args = ['uploads', '@test', '-o', 'out.id', '-f', 'id', '--update'];
  const on = { baseUrl: service.url, unwatched: true };
  for (const credits of [2, 0]) {
    const result = await fixture.run(args, on);
    assert.equal(result.exit, 8);
    assert.match(
      result.stderr,
      /^chanlist: @test: none of the entries in out\.id is in the list: [^\n]*move it away[^\n]*\n$/,
    );
    assert.equal(result.only.credits.confirmed, credits);
    assert.equal(await fixture.read('out.id'), others);
  }
  await rename(join(fixture.folder, 'out.id'), join(fixture.folder, 'away.id'));
  const result = await fixture.run(args, on);
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(result.only.credits.confirmed, 0);
  assert.equal((await fixture.read('out.id')).split('\n').length - 1, 20);
});

test('--update without the --fields that FILE was made with: 2, nothing paid', async (t) => {
  for (const format of ['ndjson', 'json', 'csv'] as const) {
    const fixture = await exportFixture(t);
    assert.equal((await update(fixture, format, ['--fields', 'videoId,title'])).exit, 0);
    fixture.sandbox.setUploads(list, 40);
    const result = await update(fixture, format);
    assert.deepEqual([result.exit, result.charged], [2, 0]);
    assert.match(result.stderr, /its fields are videoId,title, but there is no --fields; /);
    const alike = await update(fixture, format, ['--fields', 'videoId,title']);
    assert.deepEqual([alike.only.new, alike.stderr], [5, '']);
  }
});

test('an update whose token is no longer taken: 8 says that --restart begins the update anew, which it does', async (t) => {
  let expired = false;
  const service = await scriptedService(t, ({ path, query }) => {
    if (path.endsWith('latest')) return { body: { results: [entry(0)] } };
    if (!query.has('continuation')) return { body: page(0, 10, 'next', 230) };
    return expired ? { status: 410, body: { detail: 'expired' } } : { body: page(10, 30, 'more', 230) };
  });
  const fixture = await exportFixture(t);
  await writeFile(join(fixture.folder, 'out.id'), `${entry(25).videoId}\n`);
  const args = ['uploads', '@test', '-o', 'out.id', '-f', 'id', '--update'];
  const on = { baseUrl: service.url, unwatched: true };
  assert.equal((await fixture.run([...args, '--max-credits', '1'], on)).exit, 9);
  expired = true;
  const result = await fixture.run(args, on);
  assert.equal(result.exit, 8);
  assert.match(result.stderr, /--restart starts over, and pays its first page again/);
  expired = false;
  const again = await fixture.run([...args, '--restart'], on);
  assert.equal(again.exit, 0, again.stderr);
  assert.equal(again.only.credits.confirmed, 2);
  assert.deepEqual([again.only.new, again.only.entries], [25, 26]);
});

test('--dry-run names the first request: latest for an update, the next page for what was interrupted', async (t) => {
  const fixture = await exportFixture(t);
  const dry = async (): Promise<string> => (await update(fixture, 'id', ['--dry-run'])).stdout;
  assert.match(await dry(), /\/channel\/videos\?channel=.*1 credit a page\n$/);
  assert.equal((await update(fixture, 'id', ['--max-credits', '1'])).exit, 9);
  assert.match(await dry(), /\/channel\/videos\?continuation=.*1 credit a page\n$/);
  await update(fixture);
  assert.match(await dry(), /\/channel\/latest\?channel=.*free, then 1 credit a page for what is new\n$/);
});
