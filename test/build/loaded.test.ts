import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { serviceEnvironment, temporaryFolder } from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';
import { writeStore } from '../support/stored-accounts.ts';
import { runNode } from './copies.ts';

interface Loaded {
  /** Public modules of Node that are not loaded at its own start. */
  readonly modules: readonly string[];
  /** Files of the program, without the part of the name that changes with their text. */
  readonly files: readonly string[];
}

async function loadedBy(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Loaded> {
  const preload = join(process.cwd(), 'test/build/loaded.cjs');
  const { exit, stderr } = await runNode(['-r', preload, 'bin/chanlist.js', ...args], env);
  assert.equal(exit, 0, stderr);
  const { modules, files } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Loaded;
  return {
    modules,
    files: files
      .filter((name) => name !== 'loaded.cjs')
      .map((name) => name.replace(/(?:-[A-Z0-9]{8})?\.c?js$/, '')),
  };
}

async function service(t: TestContext): Promise<Record<string, string>> {
  const { url } = await scriptedService(t, ({ path, query }) => {
    if (path.endsWith('/resolve')) return { body: { channel_id: 'UCx', resolved_from: query.get('input') } };
    return { body: query.has('continuation') ? page(2, 3, null) : page(0, 2, 'next') };
  });
  return serviceEnvironment(url);
}

/** Modules of Node without a use in a call over plain http. */
const unusedModules = [
  ...['http', 'https', '_http_client', '_http_server', 'http2', 'tls', '_tls_wrap', 'crypto', 'zlib'],
  ...['child_process', 'worker_threads', 'readline', 'perf_hooks', 'dns', 'assert', 'fs/promises'],
  'internal/fs/streams',
];
/** Parts of the program without a use in a call that prints to stdout, off a terminal. */
const unusedFiles = ['export', 'server', 'ora', 'source', 'pool', 'proxy'];

function refuse(loaded: Loaded, files: readonly string[], usedModules: readonly string[] = []): void {
  assert.deepEqual(
    loaded.modules.filter((name) => unusedModules.includes(name) && !usedModules.includes(name)),
    [],
  );
  assert.deepEqual(
    loaded.files.filter((name) => [...unusedFiles, ...files].includes(name)),
    [],
  );
}

test('the files that must not be loaded are files of the build', async () => {
  const built = (await readdir('dist')).map((name) => name.replace(/(?:-[A-Z0-9]{8})?\.cjs$/, ''));
  for (const name of [...unusedFiles, 'list', 'table', 'http', 'dry-run'])
    assert.ok(built.includes(name), name);
});

test('--version loads only the launcher; help loads only the core and its own file', async () => {
  assert.deepEqual(await loadedBy(['--version'], {}), { modules: [], files: ['chanlist', 'launch'] });
  for (const args of [['--help'], ['help', 'formats']])
    refuse(await loadedBy(args, {}), ['list', 'http', 'table', 'dry-run']);
});

test('resolve loads neither listings nor tables', async (t) => {
  refuse(await loadedBy(['resolve', '@x'], await service(t)), ['list', 'table', 'dry-run']);
});

test('a stored key loads no other file', async (t) => {
  const variables = await service(t);
  const { CHANLIST_BASE_URL: baseUrl = '', CHANLIST_API_KEY: key = '' } = variables;
  const home = await temporaryFolder(t);
  writeStore(home, { a: { baseUrl, namespace: 'media', key } }, 'a');
  const { files } = await loadedBy(['resolve', '@x'], { XDG_CONFIG_HOME: home });
  assert.deepEqual(files, (await loadedBy(['resolve', '@x'], variables)).files);
});

test('a table without colour loads no chalk', async (t) => {
  refuse(await loadedBy(['resolve', '@x', '-f', 'table'], await service(t)), ['list', 'dry-run']);
});

test('a listing to stdout loads no table, and crypto only for its ledger', async (t) => {
  refuse(await loadedBy(['uploads', '@x'], await service(t)), ['table', 'dry-run'], ['crypto']);
});

test('a run that sends nothing does not load the HTTP client', async () => {
  const env = { CHANLIST_BASE_URL: 'http://127.0.0.1:1' };
  refuse(await loadedBy(['resolve', '@x', '--dry-run'], env), ['http', 'list', 'table']);
});
