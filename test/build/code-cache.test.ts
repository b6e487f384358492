import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { serviceEnvironment, temporaryFolder } from '../support/program.ts';
import { scriptedService } from '../support/service.ts';
import { copyOfProgram, type Ended, runNode } from './copies.ts';

const answer = '{"channel_id":"UCx","resolved_from":"@x"}\n';
const fine: Ended = { exit: 0, stdout: answer, stderr: '' };
const launcher = 'bin/chanlist.js';

interface Home {
  readonly env: Record<string, string>;
  /** Where the cache of this Node is. */
  readonly cache: string;
}

/** A home folder of its own, and a service to resolve a channel with. */
async function home(t: TestContext): Promise<Home> {
  const { url } = await scriptedService(t, () => ({ body: { channel_id: 'UCx', resolved_from: '@x' } }));
  const folder = await temporaryFolder(t);
  const env = { ...serviceEnvironment(url), XDG_CACHE_HOME: folder, LOCALAPPDATA: folder, HOME: folder };
  const base = process.platform === 'darwin' ? join(folder, 'Library', 'Caches') : folder;
  await mkdir(base, { recursive: true });
  return { env, cache: join(base, 'chanlist', `code-${process.version}-${process.arch}`) };
}

const resolve = (env: Record<string, string>, program = launcher): Promise<Ended> =>
  runNode([program, 'resolve', '@x'], env);

test('the first request leaves a cache for this user alone, the next one uses it as it is', async (t) => {
  const { env, cache } = await home(t);
  assert.deepEqual(await resolve(env), fine);
  const first = await stat(cache);
  assert.equal(first.mode & 0o077, 0);
  assert.deepEqual(await readdir(join(cache, '..')), [`code-${process.version}-${process.arch}`]);
  assert.deepEqual(await resolve(env), fine);
  assert.equal((await stat(cache)).mtimeMs, first.mtimeMs);
});

test('with a cache everything ends as without one', async (t) => {
  const { env } = await home(t);
  await resolve(env);
  for (const args of [
    ['resolve', '@x', '-f', 'table'],
    ['resolve'],
    ['uploads', '@x', '--limit', 'x'],
    ['foo'],
  ]) {
    const without = await runNode([launcher, ...args], { ...env, NODE_DISABLE_COMPILE_CACHE: '1' });
    assert.deepEqual(await runNode([launcher, ...args], env), without, args.join(' '));
  }
});

test('each version of Node has a cache of its own', async (t) => {
  const { env, cache } = await home(t);
  const folder = join(cache, '..');
  await mkdir(folder);
  await writeFile(join(folder, 'code-v99.0.0-x64'), 'of another');
  assert.deepEqual(await resolve(env), fine);
  assert.equal(await readFile(join(folder, 'code-v99.0.0-x64'), 'utf8'), 'of another');
  assert.equal((await readdir(folder)).length, 2);
});

test('a cache that is damaged, cut, empty or of another build is not used, and is replaced', async (t) => {
  const { env, cache } = await home(t);
  await resolve(env);
  const good = await readFile(cache);
  const flipped = Buffer.from(good);
  flipped[1000] = (flipped[1000] ?? 0) ^ 0xff;
  const other = Buffer.from(good);
  other[good.length - 1] = (other.at(-1) ?? 0) ^ 1;
  const bad = [flipped, other, good.subarray(0, 5000), Buffer.alloc(0), Buffer.alloc(good.length)];
  for (const [i, bytes] of bad.entries()) {
    await writeFile(cache, bytes);
    assert.deepEqual(await resolve(env), fine, `cache ${i}`);
    const { length } = await readFile(cache);
    assert.ok(length > 100_000, `cache ${i}`);
    assert.notDeepEqual(await readFile(cache), bytes, `cache ${i}`);
  }
});

test('a cache that others could have written is not used', {
  skip: process.platform === 'win32',
}, async (t) => {
  const { env, cache } = await home(t);
  await resolve(env);
  await chmod(cache, 0o666);
  assert.deepEqual(await resolve(env), fine);
  assert.equal((await stat(cache)).mode & 0o777, 0o600, 'it was written anew');
});

test('where there can be no cache the program works all the same, and makes no home folder', async (t) => {
  const { env, cache } = await home(t);
  await writeFile(join(cache, '..'), 'a file where the folder would be');
  assert.deepEqual(await resolve(env), fine);
  const nowhere = join(env.HOME ?? '', 'nobody');
  const lost = { ...env, HOME: nowhere, XDG_CACHE_HOME: '', LOCALAPPDATA: join(nowhere, 'Local') };
  assert.deepEqual(await resolve(lost), fine);
  assert.ok(!existsSync(nowhere));
  const relative = { ...env, HOME: 'relative', XDG_CACHE_HOME: '', LOCALAPPDATA: 'relative' };
  assert.deepEqual(await resolve(relative), fine);
  assert.ok(!existsSync('relative'));
});

test('a call that failed, that sent nothing, or that is told not to, leaves no cache', async (t) => {
  const { env, cache } = await home(t);
  await runNode([launcher, 'resolve', '@x', '--dry-run'], env);
  await runNode([launcher, 'resolve', '@x', '--retries', '0'], {
    ...env,
    CHANLIST_BASE_URL: 'http://127.0.0.1:1',
  });
  await runNode([launcher, 'help', 'uploads'], env);
  await resolve({ ...env, NODE_DISABLE_COMPILE_CACHE: '1' });
  assert.ok(!existsSync(cache));
});

test('several first starts at once all work and leave one whole cache', async (t) => {
  const { env, cache } = await home(t);
  const ended = await Promise.all(Array.from({ length: 4 }, () => resolve(env)));
  for (const each of ended) assert.deepEqual(each, fine);
  assert.deepEqual(await readdir(join(cache, '..')), [`code-${process.version}-${process.arch}`]);
  const { mtimeMs } = await stat(cache);
  assert.deepEqual(await resolve(env), fine);
  assert.equal((await stat(cache)).mtimeMs, mtimeMs, 'it was used');
});

test('a changed program does not run what the cache has of the one before', async (t) => {
  const { env, cache } = await home(t);
  const folder = await copyOfProgram(t);
  const program = join(folder, launcher);
  assert.deepEqual(await resolve(env, program), fine);
  const before = await readFile(cache);
  // Another build: its core says another thing, in as many characters, under another name.
  const dist = join(folder, 'dist');
  const core = await readFile(join(dist, 'core.cjs'), 'utf8');
  const launch = await readFile(join(dist, 'launch.cjs'), 'utf8');
  const changed = core.replaceAll(' channel', ' CHANNEL');
  const build = /"([0-9a-f]{16})"/.exec(launch)?.[1] ?? '';
  await writeFile(join(dist, 'core.cjs'), changed);
  await writeFile(join(dist, 'launch.cjs'), launch.replace(build, '0'.repeat(16)));
  assert.deepEqual(await resolve(env, program), fine);
  assert.notDeepEqual(await readFile(cache), before);
  const { stderr } = await runNode([program, 'resolve'], env);
  assert.match(stderr, / CHANNEL/);
});

test('a folder that cannot be written, through a symbolic link, from any folder', async (t) => {
  const { env } = await home(t);
  const folder = await copyOfProgram(t);
  const link = join(await temporaryFolder(t), 'chanlist');
  await symlink(join(folder, launcher), link);
  const writable = async (mode: number): Promise<void> => {
    for (const path of ['', 'bin', 'dist']) await chmod(join(folder, path), mode);
  };
  await writable(0o555);
  try {
    assert.deepEqual(await runNode([link, 'resolve', '@x'], env, { cwd: '/' }), fine);
    assert.equal((await runNode([link, '--version'], env, { cwd: '/' })).exit, 0);
  } finally {
    await writable(0o755);
  }
});
