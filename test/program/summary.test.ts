import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere as run } from '../support/command.ts';
import { ended, serviceEnvironment, start, temporaryFolder } from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';
import { linesOfStderr, onlyError } from '../support/stderr.ts';

const credits = (confirmed: number) => ({ confirmed, possibly_charged: 0 });

const noCounts = { complete: 0, limited: 0, unchanged: 0, unchecked: 0, kept: 0, interrupted: 0, failed: 0 };

const blank = {
  id: null,
  file: null,
  status: 'interrupted',
  entries: 0,
  new: null,
  missing: null,
  unlisted: null,
  pages: 0,
  credits: credits(0),
  resumed: 0,
  continuation_token: null,
  error: null,
  exit: null,
};

test('the summary is written at the start with exit null, and replaced at the end, also after a failure', async (t) => {
  const file = join(await temporaryFolder(t), 'summary.json');
  const read = async () => JSON.parse(await readFile(file, 'utf8'));
  let first: Record<string, unknown> = {};
  const service = await scriptedService(t, async ({ query }, number) => {
    if (number === 0) first = await read();
    if (query.get('channel') === '@b') return { status: 404 };
    return { body: page(0, 2, query.has('continuation') ? null : 'x\u202e', 7) };
  });
  const result = await service.run(`uploads @a @b -n 2 --summary ${file}`);
  assert.equal(result.exit, 5);
  assert.match(await readFile(file, 'utf8'), /"x\\u202e"/);
  const { started, seconds, ...summary } = await read();
  assert.ok(Math.abs(Date.parse(started) - Date.now()) < 60_000);
  assert.ok(seconds >= 0 && seconds < 60);
  const { seconds: _, ...fixed } = first;
  assert.deepEqual(fixed, {
    command: 'uploads',
    started,
    exit: null,
    error: null,
    credits: null,
    requests: null,
    retries: null,
    counts: { ...noCounts, interrupted: 2 },
    references: ['@a', '@b'].map((reference) => ({ reference, ...blank, credits: null })),
  });
  assert.deepEqual(summary, {
    command: 'uploads',
    exit: 5,
    error: null,
    credits: credits(1),
    requests: 2,
    retries: 0,
    counts: { ...noCounts, limited: 1, failed: 1 },
    references: [
      {
        reference: '@a',
        ...blank,
        id: 'UCtesttesttesttesttestte',
        status: 'limited',
        entries: 2,
        missing: 5,
        pages: 1,
        credits: credits(1),
        continuation_token: 'x\u202e',
      },
      {
        reference: '@b',
        ...blank,
        status: 'failed',
        error: { code: 'not_found', status: 404, message: 'not found (404)' },
        exit: 5,
      },
    ],
  });
});

test('a refused run replaces the last summary: an old success is never read as a new one; bad arguments and a dry run do not', async (t) => {
  const folder = await temporaryFolder(t);
  const env = serviceEnvironment('http://127.0.0.1:1');
  const last = '{"exit": 0}\n';
  await writeFile(join(folder, 'refs.txt'), 'nothing of the kind\n');
  const summaryOf = async (line: string, exit: number): Promise<string> => {
    await writeFile(join(folder, 's.json'), last);
    const ended = await run(`uploads ${line} --summary s.json`, { cwd: folder, env });
    assert.equal(ended.exit, exit, line);
    return await readFile(join(folder, 's.json'), 'utf8');
  };
  for (const line of ['@a --limit 0', '@a --nope', '@a -f xml'])
    assert.equal(await summaryOf(line, 2), last, line);
  assert.equal(await summaryOf('@a --dry-run', 0), last);
  const conflicts = ['@a --output-dir d --fields title', '@a -o a.xlsx', '@a --json --ndjson'];
  const refused = [...conflicts, 'not-a-channel', '@a --update', '--from refs.txt', '@a @b -o x'];
  for (const line of [...refused, '@a -o refs.txt -f csv', '@a -o x --from x']) {
    const { exit, error, credits, requests } = JSON.parse(await summaryOf(line, 2));
    assert.deepEqual([exit, error.code, credits.confirmed, requests], [2, 'usage', 0, 0], line);
  }
  assert.equal((await run('search town @demo --summary s.json', { cwd: folder, env })).exit, 2);
  const swapped = JSON.parse(await readFile(join(folder, 's.json'), 'utf8'));
  assert.deepEqual([swapped.command, swapped.exit, swapped.error.code], ['search', 2, 'usage']);
  // FILE of --summary is what is refused.
  assert.equal(await summaryOf('@a -o s.json', 2), last);
  assert.equal((await run('uploads @a --summary -', { cwd: folder, env })).exit, 2);
  const name = 'UCdemo__________________.ndjson';
  assert.equal((await run(`uploads @a --output-dir . --summary ./${name}`, { cwd: folder, env })).exit, 2);
  assert.deepEqual((await readdir(folder)).sort(), ['refs.txt', 's.json']);
  // Without a key, the run has failed.
  await run('latest @a @b --summary s.json', { cwd: folder, env: { HOME: folder } });
  const failed = JSON.parse(await readFile(join(folder, 's.json'), 'utf8'));
  assert.deepEqual([failed.exit, failed.counts.interrupted], [3, 2]);
});

test('a summary that cannot be created at the start: 1, nothing is sent', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 1, null) }));
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'file'), '');
  for (const summary of ['missing/summary.json', 'file/summary.json', '/proc/summary.json']) {
    for (const output of ['-', 'x.ndjson']) {
      const result = await service.run(`uploads @a --summary ${summary} -o ${output}`, { cwd: folder });
      assert.deepEqual([result.exit, result.stdout], [1, ''], `${summary}: ${result.stderr}`);
      onlyError(result, '--summary');
    }
  }
  assert.deepEqual([service.seen.length, await readdir(folder)], [0, ['file']]);
});

test('a summary that cannot be written at the end is an error, and 1 if nothing else failed', async (t) => {
  const summary = join(await temporaryFolder(t), 'summary.json');
  for (const [status, exit] of [
    [402, 4],
    [200, 1],
  ] as const) {
    const service = await scriptedService(t, async () => {
      await rm(summary);
      await mkdir(summary);
      return { status, body: page(0, 1, null) };
    });
    const result = await service.run(`uploads @a --summary ${summary}`);
    assert.equal(result.exit, exit);
    assert.ok(linesOfStderr(result.stderr).errors.some((line) => line.includes('summary.json')));
    await rm(summary, { recursive: true });
  }
});

test('output that could not be written has failed in the summary, too; its credits are confirmed', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 2, null) }));
  const summary = join(await temporaryFolder(t), 'summary.json');
  for (const line of ['search @a bread', 'uploads @a', 'uploads @a --json', 'search @a bread --json']) {
    const within = ['sh', '-c', 'exec "$@" >/dev/full', 'sh'];
    const { exit } = await ended(start(`${line} --summary ${summary}`, { env: service.env, within }));
    const report = JSON.parse(await readFile(summary, 'utf8'));
    assert.deepEqual([exit, report.exit, report.credits], [1, 1, credits(1)], line);
    const [{ status, error }, ...others] = report.references;
    assert.deepEqual([others, status, error.code], [[], 'interrupted', 'failed'], line);
  }
});

test('a closed pipe: exit 0, and every reference is in the summary with its cost', async (t) => {
  const service = await scriptedService(t, ({ query }) => ({
    body: page(0, 100, query.has('continuation') ? null : 'x', 200),
  }));
  const summary = join(await temporaryFolder(t), 'summary.json');
  const child = start(`uploads @a @b @c --summary ${summary}`, {
    env: serviceEnvironment(service.url),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.destroy();
  const [exit] = await once(child, 'exit');
  const report = JSON.parse(await readFile(summary, 'utf8'));
  assert.deepEqual([exit, report.exit, report.credits], [0, 0, credits(service.seen.length)]);
  assert.deepEqual(
    report.references.map(({ reference, error }: Record<string, unknown>) => [reference, error]),
    ['@a', '@b', '@c'].map((reference) => [reference, null]),
  );
});
