import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ExportFixture, exportFixture, exportsIn, uninterrupted } from '../support/exports.ts';
import { fileFormats } from '../support/file-formats.ts';
import { openFlakyProxy } from '../support/flaky-proxy.ts';
import { entry, page, scriptedService } from '../support/service.ts';

/** Channels of 1, 2, 3 and 1 pages of 10. */
const lists = ['@size-5', '@size-15', '@size-25', '@size-8'];
const pages = 7;

async function idOf(fixture: ExportFixture, reference: string): Promise<string> {
  const { stdout } = await fixture.run(['resolve', reference, '-f', 'id']);
  return stdout.trim();
}

const filesIn = (fixture: ExportFixture, folder = 'exports'): Promise<string[]> =>
  exportsIn(join(fixture.folder, folder));

for (const format of fileFormats) {
  test(`one file per reference, <ID>.${format}, beside the folder's memory; the folder is created`, async (t) => {
    const fixture = await exportFixture(t);
    const result = await fixture.run(['uploads', ...lists, '--output-dir', 'new/exports', '-f', format]);
    assert.equal(result.exit, 0, result.stderr);
    assert.equal(result.stdout + result.stderr, '');
    assert.equal(result.charged, pages);
    const names: string[] = [];
    for (const [index, reference] of lists.entries()) {
      const id = await idOf(fixture, reference);
      names.push(`${id}.${format}`);
      const expected = await uninterrupted(fixture, ['uploads', reference, '-f', format]);
      assert.equal(await fixture.read(`new/exports/${id}.${format}`), expected);
      const receipt = result.summary?.references[index];
      assert.deepEqual(
        [receipt?.reference, receipt?.id, receipt?.file, receipt?.status],
        [reference, id, `new/exports/${id}.${format}`, 'complete'],
      );
    }
    assert.deepEqual(await filesIn(fixture, 'new/exports'), names.sort());
    assert.deepEqual(
      (await readdir(join(fixture.folder, 'new/exports/.chanlist'))).sort(),
      names.map((name) => `${name}.json`),
    );
  });
}

test('the default format of a folder is ndjson; the file of a playlist has its ID', async (t) => {
  const fixture = await exportFixture(t, { pageSize: 100 });
  const result = await fixture.run([
    'playlist',
    'https://example.com/?list=PLdemo',
    '--output-dir',
    'exports',
  ]);
  assert.equal(result.charged, 4);
  assert.deepEqual(await filesIn(fixture), ['PLdemo.ndjson']);
});

test('an ID from the service that cannot name a file: 8 for that reference, the others are exported', async (t) => {
  for (const id of ['../UCx', 'UC x', '', '.', 'UC/x', 'UC\n', 'UCä', 7, null, 'CON:']) {
    const service = await scriptedService(t, ({ path, query }) => {
      if (!path.endsWith('resolve')) return { body: page(0, 2, null) };
      return { body: { channel_id: query.get('input') === '@bad' ? id : 'UCgood_-1', resolved_from: 'x' } };
    });
    const fixture = await exportFixture(t);
    const on = { baseUrl: service.url, unwatched: true };
    const result = await fixture.run(['uploads', '@bad', '@good', '--output-dir', 'exports', '-f', 'id'], on);
    assert.equal(result.exit, 8, String(id));
    assert.match(
      result.stderr,
      /^chanlist: @bad: the (?:ID from the service cannot name a file|response has no channel_id); [^\n]*\n$/,
    );
    assert.deepEqual(await filesIn(fixture), ['UCgood_-1.id']);
    assert.deepEqual(await fixture.files(), ['exports']);
    assert.equal(result.summary?.credits.confirmed, 1);
  }
});

test('--concurrency limits the concurrent references; the default is 4', async (t) => {
  for (const [flags, most] of [
    [[], 4],
    [['--concurrency', '1'], 1],
    [['--concurrency', '2'], 2],
    [['--concurrency', '10'], 6],
  ] as const) {
    let running = 0;
    let left = 6;
    let seen = 0;
    const waiting: (() => void)[] = [];
    const service = await scriptedService(t, async () => {
      seen = Math.max(seen, ++running);
      // Answered once all requests that may be concurrent are there, or all that are left.
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (running >= Math.min(most, left)) for (const wake of waiting.splice(0)) setImmediate(wake);
      });
      running--;
      left--;
      return { body: page(0, 1, null) };
    });
    const fixture = await exportFixture(t);
    const references = ['UCa', 'UCb', 'UCc', 'UCd', 'UCe', 'UCf'];
    const on = { baseUrl: service.url, unwatched: true };
    const result = await fixture.run(['uploads', ...references, '--output-dir', 'exports', ...flags], on);
    assert.equal(result.exit, 0, result.stderr);
    assert.equal(seen, most);
  }
});

test('one long list does not keep the others waiting', async (t) => {
  const asked: string[] = [];
  let free: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    free = resolve;
  });
  const service = await scriptedService(t, async ({ query }) => {
    const channel = query.get('channel') ?? '';
    asked.push(channel);
    if (channel === 'UClong') await held;
    if (asked.length === 6) free();
    return { body: page(0, 1, null) };
  });
  const fixture = await exportFixture(t);
  const references = ['UClong', 'UCb', 'UCc', 'UCd', 'UCe', 'UCf'];
  const on = { baseUrl: service.url, unwatched: true };
  const args = ['uploads', ...references, '--output-dir', 'exports', '--concurrency', '2', '--timeout', '20'];
  const result = await fixture.run(args, on);
  assert.equal(result.exit, 0, result.stderr);
  assert.deepEqual(
    result.summary?.references.map(({ reference }) => reference),
    references,
  );
});

test('a failure of one reference stops that one; the first in input order sets the exit code', async (t) => {
  const fixture = await exportFixture(t);
  await mkdir(join(fixture.folder, 'exports'));
  const taken = `${await idOf(fixture, '@size-15')}.id`;
  await mkdir(join(fixture.folder, 'exports', taken));
  for (const [references, exit] of [
    [['@size-5', '@gone', '@size-15', '@size-25'], 5],
    [['@size-6', '@size-15', '@gone', '@size-26'], 2],
  ] as const) {
    const result = await fixture.run(['uploads', ...references, '--output-dir', 'exports', '-f', 'id']);
    assert.equal(result.exit, exit, result.stderr);
    assert.equal(result.charged, 4);
    assert.match(result.stderr, /^chanlist: @gone: not found /m);
    assert.match(result.stderr, /^chanlist: @size-15: exports\/UC\S+ is a folder, not a regular file/m);
    assert.equal(result.stderr.split('\n').length - 1, 2);
    assert.deepEqual(
      result.summary?.references.map(({ reference, status, exit }) => [reference, status, exit]),
      references.map((reference) =>
        reference === '@gone'
          ? [reference, 'failed', 5]
          : reference === '@size-15'
            ? [reference, 'failed', 2]
            : [reference, 'complete', 0],
      ),
    );
  }
});

test('a failure of the account ends the call in one line and sets its exit code; the same command resumes', async (t) => {
  const fixture = await exportFixture(t);
  fixture.sandbox.account.credits = 4;
  const args = ['uploads', '@gone', ...lists, '--output-dir', 'exports'];
  const result = await fixture.run(args);
  assert.equal(result.exit, 4);
  assert.equal(result.charged, 4);
  assert.match(
    result.stderr,
    /^chanlist: no credits \(402: [^\n]*; 4 credits spent; [^\n]*\d of 5 done; run the same command to resume\n/m,
  );
  assert.equal(result.stderr.split('\n').length - 1, 2);
  fixture.sandbox.account.credits = 100;
  const again = await fixture.run(args);
  assert.equal(again.exit, 5);
  assert.equal(again.charged, pages - 4);
  assert.equal((await filesIn(fixture)).length, lists.length);
});

test('the budget holds when concurrent references compete for its last credit; nothing is paid twice', async (t) => {
  const fixture = await exportFixture(t);
  const proxy = await openFlakyProxy(t, fixture.sandbox.baseUrl);
  const handles = Array.from({ length: 8 }, (_, n) => `@size-${n + 11}`);
  const ids = await Promise.all(handles.map((handle) => idOf(fixture, handle)));
  const args = ['uploads', ...ids, '--output-dir', 'exports', '--concurrency', '8', '--max-credits', '7'];
  // None of seven pages arrives before all are requested; the eighth reference finds nothing left.
  const before = fixture.requests.length;
  fixture.onRequest = (_, number) => {
    if (number === before + 7) setImmediate(proxy.release);
  };
  proxy.holdFrom(1);
  const first = await fixture.run(args, { baseUrl: proxy.url });
  assert.equal(first.exit, 9);
  assert.equal(first.charged, 7);
  assert.match(
    first.stderr,
    /^chanlist: 8 references stopped by the budget[^\n]*; 7 credits spent; 0 of 8 done; run the same command to resume\n$/,
  );
  const second = await fixture.run(args, { baseUrl: proxy.url });
  assert.deepEqual([second.exit, second.charged], [9, 7]);
  const third = await fixture.run(args, { baseUrl: proxy.url });
  assert.deepEqual([third.exit, third.charged], [0, 2], third.stderr);
  for (const [i, handle] of handles.entries()) {
    const text = await fixture.read(`exports/${ids[i]}.ndjson`);
    assert.equal(text, await uninterrupted(fixture, ['uploads', handle]));
  }
});

test('an interrupted folder run: the same command resumes, complete exports are kept, then all of them', async (t) => {
  const fixture = await exportFixture(t);
  await writeFile(join(fixture.folder, 'refs.txt'), `# all\n${lists.join('\n')}\n`);
  const args = [
    'uploads',
    '--from',
    'refs.txt',
    '--output-dir',
    'exports',
    '--concurrency',
    '1',
    '-f',
    'csv',
  ];
  const first = await fixture.run([...args, '--max-credits', '4']);
  assert.equal(first.exit, 9);
  assert.match(
    first.stderr,
    /^chanlist: 2 references stopped by the budget: --max-credits allows 4 credits; about 2 more are needed for 1 reference, and more for 1 not started: refs\.txt:4 @size-25, refs\.txt:5 @size-8; 4 credits spent; 2 of 4 done; run the same command to resume\n$/,
  );
  // Other exports in the same folder change nothing about that.
  assert.equal((await fixture.run(['uploads', '@size-3', '--output-dir', 'exports'])).exit, 0);
  const requests = fixture.requests.length;
  const second = await fixture.run(args);
  assert.equal(second.exit, 0);
  assert.equal(second.charged, pages - 4);
  assert.match(fixture.requests[requests] ?? '', /continuation=/, 'the interrupted one comes first');
  assert.match(
    second.stderr,
    /^chanlist: 2 complete exports are kept; --update brings them up to date [^\n]*, --restart exports them again \(about 2 credits\)\n$/,
  );
  assert.deepEqual(
    second.summary?.references.map(({ status }) => status),
    ['kept', 'kept', 'complete', 'complete'],
  );
  assert.deepEqual(second.summary?.references[2]?.resumed, { entries: 10, credits: 1 });
  const third = await fixture.run(args);
  assert.deepEqual([third.exit, third.charged, third.summary?.counts.kept], [0, 0, 4]);
});

test('playlists in a folder are kept, too; --update is not offered', async (t) => {
  const fixture = await exportFixture(t, { pageSize: 100 });
  const args = ['playlist', 'PLdemo', '--output-dir', 'exports'];
  assert.equal((await fixture.run(args)).charged, 4);
  const again = await fixture.run(args);
  assert.deepEqual([again.exit, again.charged, again.only.status], [0, 0, 'kept']);
  assert.match(
    again.stderr,
    /^chanlist: 1 complete export is kept; --restart exports it again \(about 4 credits\)\n$/,
  );
});

test('a reference that the service cannot list tonight does not make the others pay again', async (t) => {
  let down = true;
  const service = await scriptedService(t, ({ query }) => {
    if (query.get('channel') === 'UCb' && down) return { status: 503 };
    return { body: page(0, 2, null) };
  });
  const fixture = await exportFixture(t);
  const args = ['uploads', 'UCa', 'UCb', 'UCc', '--output-dir', 'exports', '--retries', '0', '-f', 'id'];
  const on = { baseUrl: service.url, unwatched: true };
  const costs: (number | undefined)[] = [];
  for (const exit of [7, 7, 0]) {
    down = exit === 7 && costs.length < 2;
    const result = await fixture.run(args, on);
    assert.equal(result.exit, exit);
    costs.push(result.summary?.credits.confirmed);
  }
  assert.deepEqual(costs, [2, 0, 1]);
  assert.deepEqual(await filesIn(fixture), ['UCa.id', 'UCb.id', 'UCc.id']);
});

test('the lock is per FILE: 10 for a file that another run writes, other references share the folder', async (t) => {
  const fixture = await exportFixture(t);
  let url = '';
  const runs: ReturnType<typeof fixture.run>[] = [];
  const service = await scriptedService(t, async ({ query }) => {
    if (query.get('channel') !== 'UCc') {
      if (runs.length === 0)
        runs.push(
          fixture.run(['uploads', 'UCa', 'UCb', 'UCc', '--output-dir', 'exports'], {
            baseUrl: url,
            unwatched: true,
          }),
        );
      await runs[0];
    }
    return { body: page(0, 2, null) };
  });
  url = service.url;
  const first = await fixture.run(['uploads', 'UCa', 'UCb', '--output-dir', 'exports'], {
    baseUrl: url,
    unwatched: true,
  });
  assert.equal(first.exit, 0, first.stderr);
  const other = await runs[0];
  assert.equal(other?.exit, 10);
  assert.match(
    other?.stderr ?? '',
    /^chanlist: 2 references: another run is writing this file; [^\n]*: UCa, UCb\n$/,
  );
  assert.deepEqual(
    other?.summary?.references.map(({ status, exit }) => [status, exit]),
    [
      ['failed', 10],
      ['failed', 10],
      ['complete', 0],
    ],
  );
  assert.equal(service.seen.length, 3);
});

test('--restart that has reached every reference prints no command for others', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', '@size-15', '--output-dir', 'exports', '--restart', '--max-credits', '1'];
  const stopped = await fixture.run(args);
  assert.equal(stopped.exit, 9);
  assert.match(
    stopped.stderr,
    /; 1 credit spent; 0 of 1 done; run: chanlist uploads @size-15 [^;\n]* to resume\n$/,
  );
});

test('an interrupted --restart of references from stdin: no command that would read stdin is printed', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', '--from', '-', '--output-dir', 'exports', '--restart', '--max-credits', '1'];
  const within = ['sh', '-c', 'printf "@size-15\\n" | "$@"', 'sh'];
  const stopped = await fixture.run(args, { within });
  assert.equal(stopped.exit, 9, stopped.stderr);
  assert.match(stopped.stderr, /; 0 of 1 done; run the same command without --restart to resume\n$/);
});

test('--restart always starts over; files not reached stay, and stderr prints the commands', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', ...lists, '--output-dir', 'exports', '--concurrency', '1', '-f', 'id'];
  assert.equal((await fixture.run(args)).charged, pages);
  for (const one of lists) fixture.sandbox.setUploads(one, 15);
  const stopped = await fixture.run([...args, '--restart', '--max-credits', '5']);
  assert.equal(stopped.exit, 9);
  assert.match(
    stopped.stderr,
    /2 of 4 done; run: chanlist uploads @size-5 @size-15 @size-25 @size-8 [^\n]* to resume; to export the others again: chanlist uploads @size-8 [^\n]*--restart[^\n]*\n$/,
  );
  const lengths = async (): Promise<number[]> =>
    await Promise.all(
      lists.map(async (one) => {
        const text = await fixture.read(`exports/${await idOf(fixture, one)}.id`);
        return text.split('\n').length - 1;
      }),
    );
  assert.deepEqual(await lengths(), [15, 15, 25, 8]);
  assert.equal((await fixture.run([...args, '--restart', '--max-credits', '3'])).charged, 3);
  const resumed = await fixture.run(args);
  assert.equal(resumed.charged, 1, 'the page that @size-15 lacked');
  const whole = await fixture.run([...args, '--restart']);
  assert.equal(whole.charged, 8);
  assert.deepEqual(await lengths(), [15, 15, 15, 15]);
});

test('a signal ends the call with its code; the same command resumes every file', async (t) => {
  for (const [signal, exit] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    const fixture = await exportFixture(t);
    const proxy = await openFlakyProxy(t, fixture.sandbox.baseUrl);
    let kill = (): void => {};
    fixture.onRequest = (_, number) => {
      if (number === 8) kill();
    };
    const args = ['uploads', ...lists, '--output-dir', 'exports', '--concurrency', '2'];
    const stopped = await fixture.run(args, {
      baseUrl: proxy.url,
      started: (child) => {
        kill = () => {
          proxy.hold();
          child.kill(signal);
        };
      },
    });
    assert.equal(stopped.exit, exit);
    assert.match(
      stopped.stderr,
      new RegExp(`^chanlist: stopped by ${signal}; [^\\n]*\\d of 4 done; run the same command to resume\\n$`),
    );
    const possibly = stopped.summary?.credits.possibly_charged ?? 0;
    fixture.onRequest = () => {};
    proxy.release();
    const again = await fixture.run(args, { baseUrl: proxy.url });
    assert.equal(again.exit, 0, again.stderr);
    assert.ok(stopped.charged + again.charged <= pages + possibly);
    assert.equal((await filesIn(fixture)).length, lists.length);
  }
});

test('killed again and again while several files are written: the same command resumes all of them', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', ...lists, '--output-dir', 'exports', '--concurrency', '3', '-f', 'json'];
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
    const text = await fixture.read(`exports/${await idOf(fixture, reference)}.json`);
    assert.equal(text, await uninterrupted(fixture, ['uploads', reference, '--json']));
  }
  assert.equal((await filesIn(fixture)).length, lists.length);
});

test('no output destroys an export of the folder, nor the other way round: 2, nothing is bought', async (t) => {
  const fixture = await exportFixture(t);
  const id = await idOf(fixture, '@size-5');
  const list = `exports/${id}.ndjson`;
  await mkdir(join(fixture.folder, 'exports/.chanlist'), { recursive: true, mode: 0o700 });
  await writeFile(join(fixture.folder, list), `${id}\n`);
  const before = fixture.requests.length;
  for (const args of [
    [id, '--output-dir', 'exports', '--from', list],
    [id, '--output-dir', 'exports', '--key-file', list],
    [id, '--output-dir', 'exports', '--summary', list],
    ['@size-5', '--output-dir', 'exports', '--summary', list],
    ['@size-5', '--output-dir', 'exports', '--summary', `${list}.part.json`],
    [id, '--output-dir', 'exports', '--summary', `exports/.chanlist/${id}.ndjson.json`],
  ]) {
    const result = await fixture.run(['uploads', ...args], { noSummary: true });
    assert.equal(result.exit, 2, `${args.join(' ')}: ${result.stderr}`);
    const [, , , flag, path] = args;
    assert.match(
      result.stderr,
      flag === '--summary'
        ? /^chanlist: --summary \S+ has the name of a file of --output-dir exports; /
        : new RegExp(`^chanlist: --output-dir ${list} and ${flag} ${path} are the same file, `),
    );
  }
  assert.equal(fixture.requests.length, before);
  const late = await fixture.run(['uploads', '@size-5', '--output-dir', 'exports', '--from', list]);
  assert.deepEqual([late.exit, late.charged], [2, 0]);
  assert.match(
    late.stderr,
    new RegExp(`^chanlist: --output-dir ${list} and --from ${list} are the same file, `),
  );
  assert.equal(await fixture.read(list), `${id}\n`);
});

test('a folder that cannot be created: 2 before any request', async (t) => {
  const fixture = await exportFixture(t);
  await writeFile(join(fixture.folder, 'file'), '');
  for (const folder of ['file', 'file/below', '/dev/null/x', '/proc/x', '/proc/x/y']) {
    const result = await fixture.run(['uploads', ...lists, '--output-dir', folder]);
    assert.equal(result.exit, 2, result.stderr);
    assert.match(result.stderr, /^chanlist: [^\n]+; choose another --output-dir\n$/);
  }
  assert.deepEqual(fixture.requests, []);
});

test('many channels every night: 0 credits and one request per channel if nothing is new', async (t) => {
  const fixture = await exportFixture(t, { credits: 10_000, pageSize: 100 });
  const handles = Array.from({ length: 100 }, (_, n) => `@size-${n + 1}`);
  for (const handle of handles) fixture.sandbox.setUploads(handle, 3);
  await writeFile(join(fixture.folder, 'refs.txt'), `${handles.join('\n')}\n`);
  const args = ['uploads', '--from', 'refs.txt', '--output-dir', 'exports', '--update', '-f', 'id'];
  const first = await fixture.run(args);
  assert.equal(first.exit, 0, first.stderr);
  assert.equal(first.charged, 100);
  const night = await fixture.run(args);
  assert.deepEqual([night.exit, night.charged, night.stderr], [0, 0, '']);
  assert.equal(night.summary?.counts.unchanged, 100);
  assert.equal(night.summary?.requests, 100);
  for (let n = 0; n < 5; n++) fixture.sandbox.setUploads(handles[n * 20] ?? '', 3 + 1 + n);
  const busy = await fixture.run(args);
  assert.deepEqual([busy.exit, busy.charged, busy.summary?.counts.complete], [0, 5, 5]);
  assert.equal(
    busy.summary?.references.reduce((sum, receipt) => sum + (receipt.new ?? 0), 0),
    1 + 2 + 3 + 4 + 5,
  );
});

test('--dry-run of a folder takes account of the files whose names are known', async (t) => {
  const service = await scriptedService(t, ({ query, path }) => {
    if (path.endsWith('/latest')) return { body: { results: [] } };
    return { body: query.has('continuation') ? page(2, 4, null) : page(0, 2, 'second', 4) };
  });
  const fixture = await exportFixture(t);
  const on = { baseUrl: service.url, unwatched: true };
  const dry = async (...more: string[]): Promise<string> => {
    const requests = service.seen.length;
    const args = ['uploads', 'UCa', '@b', '--output-dir', 'exports', '--dry-run', ...more];
    const { stdout } = await fixture.run(args, on);
    assert.equal(service.seen.length, requests);
    return stdout.replaceAll(service.url, '');
  };
  const first = 'GET /api/v2/media/channel/videos?channel=UCa  1 credit per page';
  const resolve = 'GET /api/v2/media/channel/resolve?input=%40b  free, then 1 credit per page';
  assert.equal(await dry(), `${first}\n${resolve}\n`);
  assert.equal(await dry('--update'), `${first}\n${resolve} for new entries\n`);
  assert.equal(await dry('--max-credits', '5'), `${first}\n${resolve}\nat most 5 credits in all\n`);

  const one = ['uploads', 'UCa', '--output-dir', 'exports'];
  assert.equal((await fixture.run([...one, '--max-credits', '1'], on)).exit, 9);
  const next = 'GET /api/v2/media/channel/videos?continuation=second  1 credit per page';
  assert.equal(await dry(), `${next} (resumes after 2 of 4 entries)\n${resolve}\n`);
  assert.equal((await fixture.run(one, on)).exit, 0);
  assert.equal(await dry(), `${first} (complete: kept, not requested)\n${resolve}\n`);
  const latest = 'GET /api/v2/media/channel/latest?channel=UCa  free, then 1 credit per page for new entries';
  assert.equal(await dry('--update'), `${latest} (4 entries so far)\n${resolve} for new entries\n`);
});

test('--dry-run prints the request that follows: an ID that the memory knows is not resolved again', async (t) => {
  const service = await scriptedService(t, ({ query, path }) => {
    if (path.endsWith('/resolve')) return { body: { channel_id: entry(0).channelId, resolved_from: '@b' } };
    if (path.endsWith('/latest')) return { body: { results: [entry(0)] } };
    return { body: query.has('continuation') ? page(2, 4, null) : page(0, 2, 'second', 4) };
  });
  const fixture = await exportFixture(t);
  const on = { baseUrl: service.url, unwatched: true };
  for (const output of [
    ['-o', 'b.ndjson'],
    ['--output-dir', 'exports'],
  ]) {
    assert.equal((await fixture.run(['uploads', '@b', ...output], on)).exit, 0);
    const operations: string[] = [];
    for (const _ of [1, 2]) {
      const args = ['uploads', '@b', ...output, '--update'];
      const sent = service.seen.length;
      const { stdout } = await fixture.run([...args, '--dry-run'], on);
      assert.equal(service.seen.length, sent);
      const result = await fixture.run(args, on);
      const [first] = service.seen.slice(sent);
      assert.equal(
        /channel\/[^ ]*/.exec(stdout)?.[0],
        `channel/${first?.path.split('/').at(-1)}?${first?.query}`,
      );
      operations.push(first?.path.split('/').at(-1) ?? '');
      assert.deepEqual([result.only.status, result.only.id], ['unchanged', entry(0).channelId]);
    }
    assert.deepEqual(operations, output[0] === '-o' ? ['resolve', 'latest'] : ['latest', 'latest']);
  }
});

test('a rejected key ends the call: a listing between two pages buys no more', async (t) => {
  const [listed, refused, unreached] = [`UC${'a'.repeat(22)}`, `UC${'b'.repeat(22)}`, `UC${'c'.repeat(22)}`];
  const events = new EventEmitter();
  const [isListed, isRefused] = [once(events, 'listed'), once(events, 'refused')];
  const service = await scriptedService(t, async ({ query }) => {
    if (query.get('channel') === listed) {
      events.emit('listed');
      await isRefused;
      return { body: page(0, 10, 'next') };
    }
    await isListed;
    return (response, socket) => {
      // The program closes the connection once it has read the answer.
      socket.once('close', () => events.emit('refused'));
      response.writeHead(401, { 'content-type': 'application/json', connection: 'close' }).end('{}');
    };
  });
  const fixture = await exportFixture(t);
  const args = ['uploads', listed, refused, unreached, '--output-dir', 'exports', '--concurrency', '2'];
  const result = await fixture.run(args, { baseUrl: service.url, unwatched: true });
  assert.equal(result.exit, 3, result.stderr);
  assert.deepEqual(
    service.seen.map(({ query }) => query.get('channel') ?? query.get('continuation')).sort(),
    [listed, refused],
  );
  assert.deepEqual(result.summary?.credits, { confirmed: 1, possibly_charged: 0 });
  assert.deepEqual(
    result.summary?.references.map(({ status }) => status),
    ['interrupted', 'interrupted', 'interrupted'],
  );
});
