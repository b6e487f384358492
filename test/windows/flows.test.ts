/**
 * The main flows of the built program where files, locks and shells are not those of Linux: on Windows, on macOS, and on
 * Linux under Wine.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { linesOf, serviceEnvironment, temporaryFolder, testKey } from '../support/program.ts';
import { simulatedService, video, videos } from '../support/simulated-service.ts';
import { isWindows, skip, skipOffWindows, start, startNode, written } from './windows.ts';

/** A folder, and a service with a channel `@a` of 5 videos, 2 a page. */
async function setUp(t: TestContext) {
  const folder = await temporaryFolder(t);
  const service = await simulatedService(t, { pageSize: 2 });
  const channel = service.addChannel('a', { list: videos(0, 5) });
  const env = serviceEnvironment(service.url);
  return {
    folder,
    service,
    channel,
    begin: (line: string, more = {}) => start(line, folder, { ...env, ...more }),
    run: (line: string, more = {}) => start(line, folder, { ...env, ...more }).ended,
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    /** Calls `work` before the response to the nth paid request. */
    atPaid: (nth: number, work: () => Promise<void> | void): void => {
      let paid = 0;
      service.on(async ({ operation }) => {
        if (operation === 'uploads' && ++paid === nth) await work();
      });
    },
  };
}

const done = { exit: 0, stdout: '', stderr: '' };

/** A word as the shell of the platform takes it. */
const quoted = (word: string): string => (isWindows ? `'${word}'` : word);

test('the commands that read: resolve, latest, search, uploads, in every format', { skip }, async (t) => {
  const { run } = await setUp(t);
  const results = await Promise.all([
    run('resolve @a'),
    run('latest @a --limit 1 --fields videoId,published -f table'),
    run('search @a Title --fields videoId -f csv'),
    run('uploads @a -f id'),
    run('uploads @a --json --limit 1 --fields videoId'),
    run('uploads @nobody'),
  ]);
  const exits = results.map(({ exit }) => exit);
  assert.deepEqual(exits, [0, 0, 0, 0, 0, 5], results.map(({ stderr }) => stderr).join());
  const [resolved, latest, found, ids, document] = results.map(({ stdout }) => stdout);
  assert.equal(resolved, '{"channel_id":"UCa---------------------","resolved_from":"@a"}\n');
  assert.match(latest ?? '', /^videoId +published\n─+\na_000000004 +2026-01-01T16:00:00Z\n$/);
  assert.equal(linesOf(found ?? '').length, 6);
  assert.equal(ids, 'a_000000004\na_000000003\na_000000002\na_000000001\na_000000000\n');
  assert.match(
    document ?? '',
    /^\{"playlist_info":.*"results":\[\{"videoId":"a_000000004"\}\],.*"has_more":true\}\n$/,
  );
});

test('exports: an archive, its update, views, check; nothing else is left', { skip }, async (t) => {
  const { run, read, folder, channel } = await setUp(t);
  assert.deepEqual(await run('uploads @a -o a.ndjson'), done);
  channel.list.unshift(video('new'));
  assert.deepEqual(await run('uploads @a -o a.ndjson --update --summary s.json'), done);
  const ids = linesOf(read('a.ndjson')).map((line) => JSON.parse(line).videoId);
  assert.equal(ids.join(' '), 'new a_000000004 a_000000003 a_000000002 a_000000001 a_000000000');
  assert.equal(JSON.parse(read('s.json')).references[0].new, 1);
  assert.deepEqual(await run('uploads @a -o a.csv --fields videoId'), done);
  assert.deepEqual(await run('show a.ndjson -o b.csv --fields videoId'), done);
  assert.equal(read('b.csv'), read('a.csv'));
  assert.deepEqual(await run('uploads @a --output-dir lists'), done);
  assert.equal(linesOf((await run('show lists/UCa---------------------.ndjson')).stdout).length, 6);
  assert.equal((await run('check lists')).exit, 0);
  const left = readdirSync(join(folder, '.chanlist')).filter((name) => !name.endsWith('.held'));
  assert.deepEqual(left.sort(), ['.gitignore', 'a.ndjson.json']);
});

test('a run that is killed resumes, and buys each page once', { skip }, async (t) => {
  const { run, begin, read, atPaid, service, folder } = await setUp(t);
  atPaid(2, async () => {
    killed.child.kill('SIGKILL');
    await killed.ended;
  });
  const killed = begin('uploads @a -o a.ndjson');
  await killed.ended;
  assert.ok(!existsSync(join(folder, 'a.ndjson')));
  const problems = await run('check a.ndjson');
  assert.equal(problems.exit, 11);
  assert.ok(problems.stderr.includes(`fix: chanlist uploads ${quoted('@a')} -o a.ndjson`), problems.stderr);
  assert.deepEqual(await run('uploads @a -o a.ndjson'), done);
  assert.equal(linesOf(read('a.ndjson')).length, 5);
  // The page in flight is bought again.
  assert.equal(service.charged(), 4);
});

test('two runs on one file: the second is 10, and so is its dry run', { skip }, async (t) => {
  const { run, begin, atPaid } = await setUp(t);
  const others: (number | null)[] = [];
  atPaid(2, async () => {
    for (const more of ['', ' --dry-run']) others.push((await run(`uploads @a -o a.ndjson${more}`)).exit);
  });
  assert.deepEqual(await begin('uploads @a -o a.ndjson').ended, done);
  assert.deepEqual(others, [10, 10]);
});

test('20 processes at once never spend more than a bound per month', { skip }, async (t) => {
  const { run, service, folder } = await setUp(t);
  const more = { XDG_STATE_HOME: folder };
  const runs = Array.from({ length: 20 }, () => run('search @a Title --max-credits 7/month', more));
  const results = await Promise.all(runs);
  const exits = results.map(({ exit }) => exit).sort();
  const messages = results.map(({ stderr }) => stderr).join('');
  assert.deepEqual(exits, [...Array(7).fill(0), ...Array(13).fill(9)], messages);
  assert.equal(service.charged(), 7);
  const { stdout } = await run('credits --json', more);
  assert.deepEqual(JSON.parse(stdout)[0].total, { confirmed: 7, possibly_charged: 0 });
});

test('a file that another program has open is 1; the same command ends the run for nothing', {
  skip: skipOffWindows,
}, async (t) => {
  const { run, read, service, folder } = await setUp(t);
  assert.deepEqual(await run('uploads @a -o a.csv'), done);
  // UV_FS_O_EXLOCK of libuv: nobody else may open it, as a spreadsheet does.
  const script = "fs.openSync('a.csv', 0x10000000); fs.writeSync(1, 'open'); setInterval(() => {}, 1000)";
  const holder = startNode(['-e', script], folder);
  t.after(() => holder.child.kill('SIGKILL'));
  await written(holder, 'open');
  const refused = await run('uploads @a -o a.csv --limit 3 --restart');
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /a\.csv cannot be replaced: another program has it open.*; close it there/);
  const charged = service.charged();
  holder.child.kill('SIGKILL');
  await holder.ended;
  assert.deepEqual(await run('uploads @a -o a.csv --limit 3'), done);
  assert.equal(service.charged(), charged);
  assert.equal(linesOf(read('a.csv')).length, 4);
});

test('names that Windows cannot have are 2, before a request', { skip: skipOffWindows }, async (t) => {
  const { run, service } = await setUp(t);
  for (const [line, problem] of [
    ['uploads @a -o bad|name.csv', 'it contains "|"'],
    ['uploads @a -o con', 'it is the device "con"'],
    ['uploads @a -o a.', 'it ends with "."'],
    ['uploads @a --output-dir a?b', 'it contains "?"'],
    ['latest @a --seen lists\\nul.txt', 'it is the device "nul"'],
  ] as const) {
    const { exit, stderr } = await run(line);
    assert.equal(exit, 2);
    assert.ok(stderr.includes(problem), stderr);
  }
  assert.deepEqual(service.log, []);
});

test('paths in messages have one separator; a folder is not a file', { skip: skipOffWindows }, async (t) => {
  const { run } = await setUp(t);
  assert.deepEqual(await run('uploads @a --output-dir lists'), done);
  const { exit, stderr } = await run('show lists');
  assert.equal(exit, 2);
  assert.match(
    stderr,
    /lists is a folder; give its exports: chanlist show \(Convert-Path 'lists\\\*\.ndjson'\)$/m,
  );
  const missing = await run('uploads @a -o lists\\no\\a.csv');
  assert.equal(missing.exit, 2);
  assert.doesNotMatch(missing.stderr, /\//);
});

test('accounts: login from stdin, two at once, status, list, logout', { skip }, async (t) => {
  const { service, folder } = await setUp(t);
  const login = (name: string) =>
    start(`auth login --profile ${name} --base-url ${service.url}`, folder, {}, `${testKey}\r\n`).ended;
  assert.deepEqual(await login('first'), done);
  const names = ['a', 'b'];
  const exits = await Promise.all(names.map(async (name) => (await login(name)).exit));
  // The second may find the store locked.
  assert.ok(exits.every((exit) => exit === 0 || exit === 10));
  const stored = names.filter((_, at) => exits[at] === 0);
  const auth = async (words: string) => (await start(`auth ${words}`, folder).ended).stdout;
  const profiles = linesOf(await auth('list')).map((line) => JSON.parse(line).profile);
  assert.deepEqual(profiles.sort(), [...stored, 'first'].sort());
  const { status, store } = JSON.parse(await auth('status'));
  assert.equal(status, 'accepted');
  const place = isWindows ? 'Roaming\\chanlist\\Config\\config.json' : 'Preferences/chanlist/config.json';
  assert.ok(store.endsWith(place), store);
  assert.equal((await start('resolve @a', folder).ended).exit, 0);
  for (const name of profiles) await auth(`logout ${name}`);
  assert.equal(await auth('list'), '');
});

test('latest --seen prints what is new; one run at a time', { skip }, async (t) => {
  const { run, channel, service } = await setUp(t);
  let second: number | null = null;
  const stop = service.on(async () => {
    stop();
    second = (await run('latest @a --seen seen.txt')).exit;
  });
  assert.equal((await run('latest @a --seen seen.txt')).stdout, '');
  assert.equal(second, 10);
  channel.list.unshift(video('new'));
  assert.equal((await run('latest @a --seen seen.txt --fields videoId')).stdout, '{"videoId":"new"}\n');
  assert.equal((await run('latest @a --seen seen.txt')).stdout, '');
});

test('the sandbox, the version, help and completions', { skip }, async (t) => {
  const folder = await temporaryFolder(t);
  const run = (line: string) => start(line, folder).ended;
  const serve = start('serve --port 0', folder);
  t.after(() => serve.child.kill('SIGKILL'));
  const ready = await written(serve, 'CHANLIST_NAMESPACE');
  assert.match(
    ready,
    isWindows ? /^\$env:CHANLIST_API_KEY = 'sk_sandbox'$/m : /^export CHANLIST_API_KEY=sk_sandbox$/m,
  );
  const [, url = ''] = /at (http:\S+)/.exec(ready) ?? [];
  const env = { CHANLIST_BASE_URL: url, CHANLIST_API_KEY: 'sk_sandbox' };
  assert.equal(linesOf((await start('uploads @demo', folder, env).ended).stdout).length, 1234);
  assert.equal(linesOf((await run('latest @demo --sandbox')).stdout).length, 15);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.deepEqual(await run('--version'), { ...done, stdout: `${version}\n` });
  assert.match((await run('help environment')).stdout, /%LOCALAPPDATA%/);
  assert.ok((await run('completion bash')).stdout.length > 1000);
  // Its working folder cannot be removed on Windows while it runs.
  serve.child.kill('SIGKILL');
  await serve.ended;
});
