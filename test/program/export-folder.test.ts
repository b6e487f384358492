import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ExportFixture, exportFixture, exportsIn, uninterrupted } from '../support/exports.ts';
import { gate } from '../support/gate.ts';
import { entry, page, scriptedService } from '../support/service.ts';
import { onlyError, onlyWarning, said } from '../support/stderr.ts';
import { statuses } from '../support/summary.ts';

/** Channels of 1, 2, 3 and 1 pages of 10. */
const lists = ['@size-5', '@size-15', '@size-25', '@size-8'];
const pages = 7;

async function idOf(fixture: ExportFixture, reference: string): Promise<string> {
  const { stdout } = await fixture.run(`resolve ${reference} -f id`);
  return stdout.trim();
}

test('one file per reference, <ID>.ndjson, beside .chanlist; the folder is created', async (t) => {
  const fixture = await exportFixture(t);
  const result = await fixture.run(['uploads', ...lists, '--output-dir', 'new/exports']);
  assert.deepEqual([result.exit, result.stdout + result.stderr, result.charged], [0, '', pages]);
  const names: string[] = [];
  for (const [index, reference] of lists.entries()) {
    const id = await idOf(fixture, reference);
    names.push(`${id}.ndjson`);
    const file = `new/exports/${id}.ndjson`;
    assert.equal(await fixture.read(file), await uninterrupted(fixture, `uploads ${reference}`));
    const entry = result.summary?.references[index];
    assert.deepEqual(
      [entry?.reference, entry?.id, entry?.file, entry?.status],
      [reference, id, file, 'complete'],
    );
  }
  assert.deepEqual(await exportsIn(join(fixture.folder, 'new/exports')), names.sort());
  const own = await readdir(join(fixture.folder, 'new/exports/.chanlist'));
  assert.deepEqual(
    own.filter((name) => name.endsWith('.json')).sort(),
    names.map((name) => `${name}.json`),
  );
  assert.equal(await fixture.read('new/exports/.chanlist/.gitignore'), '*\n');
});

test('an ID from the service that cannot name a file: 8 for that reference, the others are exported', async (t) => {
  for (const id of ['../UCx', 'UC x', '', '.', 'UC/x', 'UC\n', 'UCä', 7, null, 'CON:']) {
    const service = await scriptedService(t, ({ path, query }) => {
      if (!path.endsWith('resolve')) return { body: page(0, 2, null) };
      return { body: { channel_id: query.get('input') === '@bad' ? id : 'UCgood_-1', resolved_from: 'x' } };
    });
    const fixture = await exportFixture(t, { service });
    const result = await fixture.run('uploads @bad @good --output-dir exports');
    assert.deepEqual([result.exit, result.summary?.credits.confirmed], [8, 1], String(id));
    onlyError(result, '@bad');
    assert.deepEqual(await exportsIn(join(fixture.folder, 'exports')), ['UCgood_-1.ndjson']);
    assert.deepEqual(await fixture.files(), ['exports']);
  }
});

test('a failure of one reference stops that one; a FIFO or a folder at the name of an export is refused', async (t) => {
  const fixture = await exportFixture(t);
  const folder = join(fixture.folder, 'exports');
  await mkdir(folder);
  await mkdir(join(folder, `${await idOf(fixture, '@size-15')}.ndjson`));
  const fifo = join(folder, `${await idOf(fixture, '@size-8')}.ndjson`);
  assert.equal(spawnSync('mkfifo', [fifo]).status, 0);
  const references = ['@size-5', '@gone', '@size-15', '@size-8', '@size-25'];
  const result = await fixture.run(['uploads', ...references, '--output-dir', 'exports']);
  assert.deepEqual([result.exit, result.charged], [2, 4], result.stderr);
  assert.ok((await lstat(fifo)).isFIFO());
  const { errors } = said(result.stderr);
  assert.ok(errors.some((line) => line.startsWith('@gone') && line.includes('404')));
  assert.ok(errors.length <= 3);
  assert.deepEqual(statuses(result.summary), ['complete', 'failed 5', 'failed 2', 'failed 2', 'complete']);
});

test('the lock is per FILE: 10 for a file that another run writes, other references share the folder', async (t) => {
  const fixture = await exportFixture(t);
  const at = () => ({ baseUrl: service.url, unwatched: true });
  const runs: ReturnType<typeof fixture.run>[] = [];
  const service = await scriptedService(t, async ({ query }) => {
    if (query.get('channel') !== 'UCc') {
      if (runs.length === 0) runs.push(fixture.run('uploads UCa UCb UCc --output-dir exports', at()));
      await runs[0];
    }
    return { body: page(0, 2, null) };
  });
  const first = await fixture.run('uploads UCa UCb --output-dir exports', at());
  assert.equal(first.exit, 0, first.stderr);
  const other = await runs[0];
  assert.equal(other?.exit, 10);
  assert.ok(other);
  onlyError(other, 'UCa', 'UCb');
  assert.deepEqual(statuses(other.summary), ['failed 10', 'failed 10', 'complete']);
  assert.equal(service.seen.length, 3);
});

test('--restart stopped by its bound: the same command continues, and pays for no page twice', async (t) => {
  const fixture = await exportFixture(t);
  const line = `uploads ${lists.join(' ')} --output-dir exports --concurrency 1`;
  assert.equal((await fixture.run(line)).charged, pages);
  for (const one of lists) fixture.sandbox.setUploads(one, 15);
  const restart = (days: number, more = '') =>
    fixture.run(`${line} --restart${more}`, { now: Date.now() + days * 24 * 60 * 60 * 1000 });
  const stopped = await restart(1, ' --max-credits 5');
  assert.deepEqual([stopped.exit, stopped.charged], [9, 5]);
  // A printed command would have to have the flag.
  onlyError(stopped, '--max-credits', /credits? spent/, /--restart|^(?!.*: chanlist )/);
  const continued = await restart(1.1);
  assert.deepEqual([continued.exit, continued.charged], [0, 3], continued.stderr);
  for (const one of lists)
    assert.equal(
      (await fixture.read(`exports/${await idOf(fixture, one)}.ndjson`)).split('\n').length - 1,
      15,
    );
  // Those of today are kept; tomorrow all are exported again.
  const kept = await restart(1.2);
  assert.deepEqual([kept.exit, kept.charged, kept.summary?.counts.kept], [0, 0, 4]);
  onlyWarning(kept);
  assert.equal((await restart(2.2)).charged, 8);
});

test('no output replaces an export of the folder, and no export an output: 2, no paid request', async (t) => {
  const fixture = await exportFixture(t);
  const id = await idOf(fixture, '@size-5');
  const list = `exports/${id}.ndjson`;
  await mkdir(join(fixture.folder, 'exports'));
  await writeFile(join(fixture.folder, list), `${id}\n`);
  const before = fixture.requests.length;
  const file = { CHANLIST_API_KEY: '', CHANLIST_API_KEY_FILE: join(fixture.folder, list) };
  for (const [more, named, env] of [
    [` --from ${list}`, '--from', {}],
    [` --key-file ${list}`, '--key-file', {}],
    [` --summary ${list}`, '--summary', {}],
    [` --summary exports/.chanlist/${id}.ndjson.json`, '--summary', {}],
    ['', 'CHANLIST_API_KEY_FILE', file],
  ] as const) {
    const result = await fixture.run(`uploads ${id} --output-dir exports${more}`, { env, noSummary: true });
    assert.equal(result.exit, 2, `${more}: ${result.stderr}`);
    onlyError(result, named);
  }
  assert.equal(fixture.requests.length, before);
  // Here a response shows it.
  const late = await fixture.run(`uploads @size-5 --output-dir exports --from ${list}`);
  assert.deepEqual([late.exit, late.charged], [2, 0]);
  assert.match(late.stderr, /error: --from /);
  assert.equal(await fixture.read(list), `${id}\n`);
});

test('a folder that cannot be created: 2 before any request', async (t) => {
  const fixture = await exportFixture(t);
  await writeFile(join(fixture.folder, 'file'), '');
  for (const [folder, update] of [
    ...['file', 'file/below', '/dev/null/x', '/proc/x/y'].map((path) => [path, ''] as const),
    // An update creates none: a folder that is not there may not be mounted.
    ['new', ' --update'],
  ] as const) {
    const result = await fixture.run(`uploads @size-5 @size-8 --output-dir ${folder}${update}`);
    assert.equal(result.exit, 2, result.stderr);
    onlyError(result, folder, update === '' ? '--output-dir' : '--update');
  }
  assert.deepEqual(fixture.requests, []);
  assert.deepEqual(await readdir(fixture.folder), ['file']);
});

test('--dry-run prints the request that follows, and sends nothing: a known ID is not resolved again', async (t) => {
  const service = await scriptedService(t, ({ query, path }) => {
    if (path.endsWith('/resolve')) return { body: { channel_id: entry(0).channelId, resolved_from: '@b' } };
    if (path.endsWith('/latest')) return { body: { results: [entry(0)] } };
    return { body: query.has('continuation') ? page(2, 4, null) : page(0, 2, 'second', 4) };
  });
  const fixture = await exportFixture(t, { service });
  const one = ['uploads', '@b', '--output-dir', 'exports'];
  for (const [args, exit, operation] of [
    [[...one, '--max-credits', '1'], 9, 'resolve'],
    [one, 0, 'videos?continuation=second'],
    [[...one, '--update'], 0, 'latest'],
  ] as const) {
    const sent = service.seen.length;
    const { stdout } = await fixture.run([...args, '--dry-run']);
    assert.equal(service.seen.length, sent);
    const result = await fixture.run(args);
    assert.equal(result.exit, exit, result.stderr);
    const [first] = service.seen.slice(sent);
    assert.ok(stdout.includes(`channel/${first?.path.split('/').at(-1)}?${first?.query}`), stdout);
    assert.ok(stdout.includes(`channel/${operation}`), stdout);
  }
});

test('--dry-run of several references: one request per export, and what the run would refuse, in its words', async (t) => {
  const fixture = await exportFixture(t);
  await fixture.run('uploads @size-5 @size-8 --output-dir lists');
  const [first = '', second = ''] = await exportsIn(join(fixture.folder, 'lists'));
  const ids = [first, second].map((name) => name.split('.')[0] ?? '');
  await writeFile(join(fixture.folder, 'lists', first), '{"videoId":"x"}\n');
  const line = `uploads @size-5 @size-8 ${ids.join(' ')} --output-dir lists --update --dry-run`;
  const { exit, stdout, stderr } = await fixture.run(line);
  assert.equal(exit, 1);
  assert.equal(
    stdout,
    `free, then 1 credit per page for new entries  GET ${fixture.sandbox.baseUrl}/api/v2/media/channel/latest?channel=${ids[1]}\n`,
  );
  assert.match(
    stderr,
    /^chanlist: error: @size-\d: \S+ has 1 entry, but had \d entries; restore it, or repair it: .*\nchanlist: 1 request, free, then 1 credit per page for new entries\n$/,
  );
  assert.doesNotMatch(stderr, /--dry-run/);
  await fixture.run('uploads @size-5 -n 2 -o a.ndjson');
  await mkdir(join(fixture.folder, 'none'));
  for (const [refused, says] of [
    ['uploads @size-5 --output-dir none --update', /there are no exports in none; is the disk mounted/],
    ['latest @size-5 -o a.ndjson', /refusing to replace a\.ndjson/],
    // The format of the records is not one of the export.
    [
      'uploads @size-5 -o a.ndjson --dry-run -f json',
      /: chanlist uploads @size-5 --output a\.ndjson --restart /,
    ],
  ] as const)
    for (const flag of ['', ' --dry-run']) {
      const result = await fixture.run(refused + flag);
      assert.deepEqual([result.exit, result.charged], [2, 0], result.stderr);
      assert.match(result.stderr, says);
    }
});

test('an export whose record is refused stops that reference only', async (t) => {
  const fixture = await exportFixture(t);
  const line = ['uploads', '@size-5', '@size-8', '--output-dir', 'lists'];
  await fixture.run(line);
  const own = join(fixture.folder, 'lists/.chanlist');
  const [record = ''] = (await readdir(own)).filter((name) => name.endsWith('.json')).sort();
  const newer = JSON.stringify({ ...JSON.parse(await readFile(join(own, record), 'utf8')), version: 99 });
  await writeFile(join(own, record), newer);
  const result = await fixture.run([...line, '--update']);
  assert.deepEqual(
    [result.exit, result.charged, result.summary?.counts],
    [2, 0, { ...result.summary?.counts, unchanged: 1, failed: 1 }],
  );
  onlyError(result, 'newer version');
  assert.equal(await readFile(join(own, record), 'utf8'), newer);
});

test('a rejected key ends the run: a listing between two pages requests no more', async (t) => {
  const [listed, refused, unreached] = ['a', 'b', 'c'].map((name) => `UC${name.repeat(22)}`);
  const [isListed, isRefused] = [gate(), gate()];
  const service = await scriptedService(t, async ({ query }) => {
    if (query.get('channel') === listed) {
      isListed.open();
      await isRefused.opened;
      return { body: page(0, 10, 'next') };
    }
    await isListed.opened;
    return (response, socket) => {
      // The program closes the connection once it has read the response.
      socket.once('close', isRefused.open);
      response.writeHead(401, { 'content-type': 'application/json', connection: 'close' }).end('{}');
    };
  });
  const fixture = await exportFixture(t, { service });
  const result = await fixture.run(
    `uploads ${listed} ${refused} ${unreached} --output-dir exports --concurrency 2`,
  );
  assert.equal(result.exit, 3, result.stderr);
  const asked = service.seen.map(({ query }) => query.get('channel') ?? query.get('continuation'));
  assert.deepEqual(asked.sort(), [listed, refused]);
  assert.deepEqual(result.summary?.credits, { confirmed: 1, possibly_charged: 0 });
  assert.deepEqual(statuses(result.summary), ['interrupted 3', 'interrupted 3', 'interrupted 3']);
});

test('what another run has exported since this one began is not fetched again', async (t) => {
  const [first, second] = [`UC${'a'.repeat(22)}`, `UC${'b'.repeat(22)}`];
  const [reached, others] = [gate(), gate()];
  const service = await scriptedService(t, async ({ query }) => {
    if (query.get('channel') === first) {
      reached.open();
      await others.opened;
    }
    return { body: page(0, 3, null) };
  });
  const fixture = await exportFixture(t, { service });
  const flags = ['--output-dir', 'exports', '--concurrency', '1', '--timeout', '20'];
  const slow = fixture.run(['uploads', first, second, ...flags]);
  await reached.opened;
  const quick = await fixture.run(['uploads', second, ...flags], { noSummary: true });
  assert.equal(quick.exit, 0, quick.stderr);
  others.open();
  assert.deepEqual(statuses((await slow).summary), ['complete', 'kept']);
  assert.deepEqual(
    service.seen.map(({ query }) => query.get('channel')),
    [first, second],
  );
});

test('killed again and again while several files are written: the same command resumes all of them', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', ...lists, '--output-dir', 'exports', '--concurrency', '3'];
  let kills = 0;
  let charged = 0;
  for (let at = 5; ; at++) {
    const before = fixture.requests.length;
    let kill = (): void => {};
    fixture.onRequest = (_, number) => {
      if (number === before + at) kill();
    };
    const result = await fixture.run(args, {
      started: (child) => {
        kill = () => child.kill('SIGKILL');
      },
    });
    charged += result.charged;
    if (result.exit === 0) break;
    kills++;
    assert.equal(result.signal, 'SIGKILL', result.stderr);
  }
  fixture.onRequest = () => {};
  assert.ok(kills > 0);
  // Three requests may be in flight when the process dies.
  assert.ok(charged <= pages + 3 * kills, `${charged} credits, ${kills} kills`);
  for (const reference of lists) {
    const text = await fixture.read(`exports/${await idOf(fixture, reference)}.ndjson`);
    assert.equal(text, await uninterrupted(fixture, `uploads ${reference}`));
  }
  assert.equal((await exportsIn(join(fixture.folder, 'exports'))).length, lists.length);
});
