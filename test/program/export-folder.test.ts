import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ExportFixture, exportFixture, fileFormats, uninterrupted } from '../support/exports.ts';
import { openFlakyProxy } from '../support/flaky-proxy.ts';
import { page, scriptedService } from '../support/service.ts';

/** Channels of 1, 2, 3 and 1 pages of 10. */
const lists = ['@size-5', '@size-15', '@size-25', '@size-8'];
const pages = 7;

async function idOf(fixture: ExportFixture, reference: string): Promise<string> {
  const { stdout } = await fixture.run(['resolve', reference, '-f', 'id']);
  return stdout.trim();
}

async function filesIn(fixture: ExportFixture, folder = 'exports'): Promise<string[]> {
  return (await readdir(join(fixture.folder, folder))).sort();
}

for (const format of fileFormats) {
  test(`one file a reference, <ID>.${format}, and nothing else; the folder is made`, async (t) => {
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
  });
}

test('the format of a folder is ndjson; playlists are named by their IDs', async (t) => {
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

test('an ID from the service that could not be a file name names none (8), the others are exported', async (t) => {
  for (const id of ['../UCx', 'UC x', '', '.', 'UC/x', 'UC\n', 'UCä', 7, null, 'CON:']) {
    const service = await scriptedService(t, ({ path, query }) => {
      if (!path.endsWith('resolve')) return { body: page(0, 2, null) };
      return { body: { channel_id: query.get('input') === '@bad' ? id : 'UCgood_-1', resolved_from: 'x' } };
    });
    const fixture = await exportFixture(t);
    const on = { baseUrl: service.url, unwatched: true };
    const result = await fixture.run(['uploads', '@bad', '@good', '--output-dir', 'exports', '-f', 'id'], on);
    assert.equal(result.exit, 8, String(id));
    assert.match(result.stderr, /@bad: the channel ID from the service cannot name a file/);
    assert.deepEqual(
      (await filesIn(fixture)).filter((name) => !name.startsWith('.')),
      ['UCgood_-1.id'],
    );
    assert.deepEqual(await fixture.files(), ['exports']);
    assert.equal(result.summary?.credits.confirmed, 1);
  }
});

test('--concurrency: so many at a time, 4 where it is not given', async (t) => {
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
      // Answered when as many are there as there should be at a time, or as are left.
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

test('several that are limited at once wait once: --max-wait counts the time, not the requests', async (t) => {
  const waiting: (() => void)[] = [];
  const service = await scriptedService(t, async (_, number) => {
    if (number >= 3) return { body: page(0, 1, null) };
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 3) for (const wake of waiting) wake();
    });
    return { status: 429, headers: { 'retry-after': '1.2' } };
  });
  const fixture = await exportFixture(t);
  const args = [
    'uploads',
    'UCa',
    'UCb',
    'UCc',
    '--output-dir',
    'exports',
    '--concurrency',
    '3',
    '--max-wait',
    '2',
  ];
  const result = await fixture.run(args, { baseUrl: service.url, unwatched: true });
  assert.equal(result.exit, 0, result.stderr);
});

test('a failure of one stops only that one; the first in input order gives the exit code', async (t) => {
  const fixture = await exportFixture(t);
  await mkdir(join(fixture.folder, 'exports'));
  const taken = `${await idOf(fixture, '@size-15')}.id`;
  await mkdir(join(fixture.folder, 'exports', taken));
  for (const [references, exit] of [
    [['@size-5', '@gone', '@size-15', '@size-25'], 5],
    [['@size-5', '@size-15', '@gone', '@size-25'], 2],
  ] as const) {
    const result = await fixture.run(['uploads', ...references, '--output-dir', 'exports', '-f', 'id']);
    assert.equal(result.exit, exit);
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
    assert.equal((await filesIn(fixture)).length, 3);
  }
});

test('a failure of the account ends the call, is told once, and gives its code before all others', async (t) => {
  const fixture = await exportFixture(t);
  fixture.sandbox.setCredits(4);
  const args = ['uploads', '@gone', ...lists, '--output-dir', 'exports'];
  const result = await fixture.run(args);
  assert.equal(result.exit, 4);
  assert.equal(result.charged, 4);
  assert.match(
    result.stderr,
    /^chanlist: no credits \(402: [^\n]*; 4 credits spent; [^\n]*\d of 5 done: the same command continues with the rest\n/m,
  );
  assert.equal(result.stderr.split('\n').length - 1, 2);
  fixture.sandbox.setCredits(100);
  const again = await fixture.run(args);
  assert.equal(again.exit, 5);
  assert.equal(again.charged, pages - 4);
  assert.equal((await filesIn(fixture)).length, lists.length);
});

test('the budget holds when all race for its last credit, and nothing is paid twice afterwards', async (t) => {
  const fixture = await exportFixture(t, { latency: 5 });
  const references = Array.from({ length: 8 }, (_, n) => `@size-${n + 11}`);
  const args = ['uploads', ...references, '--output-dir', 'exports', '--concurrency', '8'];
  const first = await fixture.run([...args, '--max-credits', '7']);
  assert.equal(first.exit, 9);
  assert.equal(first.charged, 7);
  assert.match(
    first.stderr,
    /^chanlist: stopped by the budget[^\n]*; 7 credits spent; [^\n]*continues with the rest\n$/,
  );
  const second = await fixture.run([...args, '--max-credits', '7']);
  assert.equal(second.charged, 7);
  const third = await fixture.run([...args, '--max-credits', '7']);
  assert.equal(third.exit, 0, third.stderr);
  assert.equal(first.charged + second.charged + third.charged, 16);
  assert.equal((await filesIn(fixture)).length, 8);
  for (const reference of references) {
    const text = await fixture.read(`exports/${await idOf(fixture, reference)}.ndjson`);
    assert.equal(text, await uninterrupted(fixture, ['uploads', reference]));
  }
});

test('a reference given as handle, as URL and as ID is exported once', async (t) => {
  const fixture = await exportFixture(t);
  const id = await idOf(fixture, '@size-25');
  const args = ['uploads', '@size-25', `https://example.com/channel/${id}`, id, '--output-dir', 'exports'];
  const result = await fixture.run(args);
  assert.equal(result.exit, 0);
  assert.equal(result.charged, 3);
  assert.deepEqual(await filesIn(fixture), [`${id}.ndjson`]);
  assert.deepEqual(
    result.summary?.references.map(({ file }) => file),
    [`exports/${id}.ndjson`, `exports/${id}.ndjson`],
  );
});

test('interrupted: the same command does not pay for finished files again, says so with -v, and leaves nothing', async (t) => {
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
    /--max-credits allows 4 credits; about 2 more are needed for the one begun, and more for 1 not begun; 4 credits spent; 2 of 4 done: the same command continues with the rest\n$/,
  );
  // Something else in the same folder changes nothing about that, also of the same kind.
  assert.equal((await fixture.run(['uploads', '@size-3', '@size-4', '--output-dir', 'exports'])).exit, 0);
  const others = ['uploads', '@size-3', '@size-4', '--output-dir', 'exports', '-f', 'csv'];
  assert.equal((await fixture.run(others)).charged, 2);
  assert.equal((await fixture.run(others)).charged, 2);
  assert.equal(
    (await fixture.run(['playlist', 'PLdemo', '--output-dir', 'exports', '-f', 'csv', '-n', '5'])).exit,
    0,
  );
  const second = await fixture.run([...args, '-v']);
  assert.equal(second.exit, 0);
  assert.equal(second.charged, pages - 4);
  assert.match(
    second.stderr,
    /^chanlist: exports: 2 files were finished by the interrupted run, begun \d{4}-[^;]*; --restart exports all anew$/m,
  );
  assert.deepEqual(
    second.summary?.references.map(({ status }) => status),
    ['unchanged', 'unchanged', 'complete', 'complete'],
  );
  assert.ok(
    (await filesIn(fixture)).every((name) => /^(?:UC[\w-]+\.(?:csv|ndjson)|PLdemo\.csv)$/.test(name)),
  );
  // Through: the next night is another export.
  assert.equal((await fixture.run(args)).charged, pages);
});

test('a list that the service cannot give tonight: the others are not paid again for it', async (t) => {
  let down = true;
  const service = await scriptedService(t, ({ query }) => {
    if (query.get('channel') === 'UCb' && down) return { status: 503 };
    return { body: page(0, 2, null) };
  });
  const fixture = await exportFixture(t);
  const args = ['uploads', 'UCa', 'UCb', 'UCc', '--output-dir', 'exports', '--retries', '0', '-f', 'id'];
  const on = { baseUrl: service.url, unwatched: true };
  const first = await fixture.run(args, on);
  assert.equal(first.exit, 7);
  assert.match(
    first.stderr,
    /exports: the same command continues with the rest, and does not export the 2 finished again/,
  );
  down = false;
  const second = await fixture.run(args, on);
  assert.equal(second.exit, 0);
  assert.equal(second.summary?.credits.confirmed, 1);
  assert.deepEqual(await filesIn(fixture), ['UCa.id', 'UCb.id', 'UCc.id']);
});

test('a list that the service never gives does not keep the others from being exported anew', async (t) => {
  const service = await scriptedService(t, ({ query }) =>
    query.get('channel') === 'UCb' ? { status: 503 } : { body: page(0, 2, null) },
  );
  const fixture = await exportFixture(t);
  const args = ['uploads', 'UCa', 'UCb', 'UCc', '--output-dir', 'exports', '--retries', '0', '-f', 'id'];
  const costs: (number | undefined)[] = [];
  for (let night = 0; night < 4; night++) {
    const result = await fixture.run(args, { baseUrl: service.url, unwatched: true });
    assert.equal(result.exit, 7);
    costs.push(result.summary?.credits.confirmed);
  }
  // The night after a failure is for what failed; the next one is for all again.
  assert.deepEqual(costs, [2, 0, 2, 0]);
});

test('two runs on one folder: the second ends at once (10), and sends nothing', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', 'UCa', 'UCb', '--output-dir', 'exports'];
  let url = '';
  let second: Promise<{ exit: number | null; stderr: string }> | null = null;
  const service = await scriptedService(t, async () => {
    second ??= fixture.run(args, { baseUrl: url, unwatched: true });
    await second;
    return { body: page(0, 2, null) };
  });
  url = service.url;
  const first = await fixture.run(args, { baseUrl: url, unwatched: true });
  assert.equal(first.exit, 0, first.stderr);
  assert.equal(service.seen.length, 2);
  const { exit, stderr } = (await second) ?? { exit: null, stderr: '' };
  assert.equal(exit, 10);
  assert.match(stderr, /^chanlist: exports: another run is writing this file; [^\n]*\n$/);
});

test('--restart exports all anew', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', ...lists, '--output-dir', 'exports', '--concurrency', '1'];
  assert.equal((await fixture.run([...args, '--max-credits', '4'])).exit, 9);
  const result = await fixture.run([...args, '--restart']);
  assert.equal(result.exit, 0);
  assert.equal(result.charged, pages);
  assert.equal((await filesIn(fixture)).length, lists.length);
});

test('signals end the call with their code; a file that is being written goes on', async (t) => {
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
      new RegExp(`^chanlist: stopped by ${signal}; [^\\n]*continues with the rest\\n$`),
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

test('killed while several are written, again and again: all goes on', async (t) => {
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
  // Three requests may be under way when the process dies.
  assert.ok(charged <= pages + 3 * kills, `${charged} credits, ${kills} kills`);
  for (const reference of lists) {
    const text = await fixture.read(`exports/${await idOf(fixture, reference)}.json`);
    assert.equal(text, await uninterrupted(fixture, ['uploads', reference, '--json']));
  }
  assert.equal((await filesIn(fixture)).length, lists.length);
});

test('a locked file is one reference that failed (10); the others are exported', async (t) => {
  const fixture = await exportFixture(t);
  const proxy = await openFlakyProxy(t, fixture.sandbox.baseUrl);
  await mkdir(join(fixture.folder, 'exports'));
  const id = await idOf(fixture, '@size-25');
  const before = fixture.requests.length;
  let asked: () => void = () => {};
  const waiting = new Promise<void>((resolve) => {
    asked = resolve;
  });
  fixture.onRequest = (_, number) => {
    if (number === before + 2) asked();
  };
  proxy.holdFrom(2);
  const first = fixture.run(['uploads', '@size-25', '-o', `exports/${id}.ndjson`], {
    baseUrl: proxy.url,
    unwatched: true,
  });
  await waiting;
  const second = await fixture.run(['uploads', ...lists, '--output-dir', 'exports'], { unwatched: true });
  assert.equal(second.exit, 10);
  assert.equal(second.summary?.credits.confirmed, pages - 3);
  proxy.release();
  assert.equal((await first).exit, 0);
});

test('--output-dir that cannot be: 2 before any request', async (t) => {
  const fixture = await exportFixture(t);
  await writeFile(join(fixture.folder, 'file'), '');
  for (const folder of ['file', 'file/below', '/dev/null/x']) {
    const result = await fixture.run(['uploads', ...lists, '--output-dir', folder]);
    assert.equal(result.exit, 2, result.stderr);
    assert.match(result.stderr, /^chanlist: [^\n]+\n$/);
  }
  assert.deepEqual(fixture.requests, []);
});

test('missing videos in a folder: the mend is a command for that file', async (t) => {
  const fixture = await exportFixture(t);
  const args = ['uploads', ...lists, '--output-dir', 'exports', '-f', 'csv', '--update'];
  assert.equal((await fixture.run(args)).exit, 0);
  const name = `exports/${await idOf(fixture, '@size-25')}.csv`;
  const rows = (await fixture.read(name)).split(/\n(?=[\w-]{11},)/);
  await writeFile(join(fixture.folder, name), `${rows.slice(0, 16).join('\n')}\n`);
  fixture.sandbox.setUploads('@size-25', 26);
  const result = await fixture.run(args);
  assert.equal(result.exit, 0);
  assert.equal(result.charged, 1);
  const mend = /10 of 26 videos are missing; .* with: chanlist ([^\n]+)\n/.exec(result.stderr)?.[1] ?? '';
  assert.match(mend, /^uploads @size-25 .*--restart$/);
  assert.doesNotMatch(mend, /--output-dir/);
  const words = mend
    .split(' ')
    .filter((word, at, all) => word !== '--summary' && all[at - 1] !== '--summary');
  assert.equal((await fixture.run(words)).charged, 3);
  assert.equal(await fixture.read(name), await uninterrupted(fixture, ['uploads', '@size-25', '-f', 'csv']));
});

test('a thousand channels every night: 0 credits for nothing new, 50 where 50 have new ones', async (t) => {
  const fixture = await exportFixture(t, { credits: 10_000, pageSize: 100 });
  const handles = Array.from({ length: 1000 }, (_, n) => `@size-${n + 1}`);
  // Three uploads each: the number of entries is not what this is about.
  for (const handle of handles) fixture.sandbox.setUploads(handle, 3);
  await writeFile(join(fixture.folder, 'refs.txt'), `${handles.join('\n')}\n`);
  const args = [
    'uploads',
    '--from',
    'refs.txt',
    '--output-dir',
    'exports',
    '--update',
    '--concurrency',
    '8',
    '-f',
    'id',
  ];
  const first = await fixture.run(args);
  assert.equal(first.exit, 0, first.stderr);
  assert.equal(first.charged, 1000);
  const night = await fixture.run(args);
  assert.equal(night.exit, 0, night.stderr);
  assert.equal(night.charged, 0);
  assert.ok(night.summary?.references.every(({ status }) => status === 'unchanged'));
  for (let n = 0; n < 50; n++) fixture.sandbox.setUploads(handles[n * 20] ?? '', 3 + 1 + (n % 15));
  const busy = await fixture.run(args);
  assert.equal(busy.exit, 0, busy.stderr);
  assert.equal(busy.charged, 50);
  assert.equal(busy.summary?.references.filter(({ status }) => status === 'complete').length, 50);
  assert.equal(
    busy.summary?.references.reduce((sum, receipt) => sum + (receipt.new ?? 0), 0),
    Array.from({ length: 50 }, (_, n) => 1 + (n % 15)).reduce((a, b) => a + b),
  );
  assert.equal((await filesIn(fixture)).length, 1000);
});

test('--dry-run of a folder looks at the files whose names are known', async (t) => {
  const service = await scriptedService(t, ({ query, path }) => {
    if (path.endsWith('/latest')) return { body: { results: [] } };
    return { body: query.has('continuation') ? page(2, 4, null) : page(0, 2, 'second') };
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
  const begin = 'GET /api/v2/media/channel/videos?channel=UCa  1 credit a page\n';
  const resolve = 'GET /api/v2/media/channel/resolve?input=%40b  free, then 1 credit a page';
  assert.equal(await dry(), `${begin}${resolve}\n`);
  assert.equal(await dry('--update'), `${begin}${resolve} for what is new\n`);

  const one = ['uploads', 'UCa', '--output-dir', 'exports'];
  assert.equal((await fixture.run([...one, '--max-credits', '1'], on)).exit, 9);
  const next = 'GET /api/v2/media/channel/videos?continuation=second  1 credit a page\n';
  assert.equal(await dry(), `${next}${resolve}\n`);
  assert.equal((await fixture.run(one, on)).exit, 0);
  const latest = 'GET /api/v2/media/channel/latest?channel=UCa  free, then 1 credit a page for what is new\n';
  assert.equal(await dry('--update'), `${latest}${resolve} for what is new\n`);
});
