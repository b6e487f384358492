import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { writeStore } from '../accounts/fake-context.ts';
import { serviceEnvironment, temporaryFolder } from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';
import { runNode } from './copies.ts';

interface Loaded {
  /** Public modules of Node that are not loaded at its own start. */
  readonly modules: readonly string[];
  readonly files: readonly string[];
  /** Names of the parts of core.cjs and of chunks, without what tells builds apart. */
  readonly parts: readonly string[];
}

async function loadedBy(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Loaded> {
  const preload = join(process.cwd(), 'test/build/loaded.cjs');
  const { exit, stderr } = await runNode(['-r', preload, 'bin/chanlist.js', ...args], {
    ...env,
    NODE_DISABLE_COMPILE_CACHE: '1',
  });
  assert.equal(exit, 0, stderr);
  const loaded = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Loaded;
  const plain = (name: string): string => name.replace(/^\.\//, '').replace(/-[A-Z0-9]{8}\.cjs$/, '');
  return {
    modules: loaded.modules,
    files: loaded.files.filter((name) => name !== 'loaded.cjs').map(plain),
    parts: loaded.parts
      .map(plain)
      .filter((name) => name !== 'chunk')
      .sort(),
  };
}

async function service(t: TestContext): Promise<Record<string, string>> {
  const { url } = await scriptedService(t, ({ path, query }) => {
    if (path.endsWith('/resolve')) return { body: { channel_id: 'UCx', resolved_from: query.get('input') } };
    return { body: query.has('continuation') ? page(2, 3, null) : page(0, 2, 'next') };
  });
  return serviceEnvironment(url);
}

/** What a call over plain http has no use for. */
const unused = [
  ...['http', 'https', '_http_client', '_http_server', 'http2', 'tls', '_tls_wrap', 'crypto', 'zlib'],
  ...['child_process', 'worker_threads', 'readline', 'perf_hooks', 'dns', 'assert', 'fs/promises'],
];

test('version and help load nothing but the launcher', async () => {
  for (const args of [['--version'], ['--help'], ['help', 'formats'], ['auth', 'login', '--help']]) {
    assert.deepEqual(await loadedBy(args, {}), {
      modules: [],
      files: ['chanlist.js', 'launch.cjs'],
      parts: [],
    });
  }
});

test('resolve loads what it uses', async (t) => {
  const { modules, files, parts } = await loadedBy(['resolve', '@x'], await service(t));
  assert.deepEqual(
    modules.filter((name) => unused.includes(name)),
    [],
  );
  assert.deepEqual(files, ['chanlist.js', 'launch.cjs', 'core.cjs']);
  assert.deepEqual(parts, ['dispatcher', 'ndjson', 'resolve', 'start.cjs']);
});

test('the key from the store costs no other part', async (t) => {
  const { CHANLIST_BASE_URL: baseUrl = '', CHANLIST_API_KEY: key = '' } = await service(t);
  const home = await temporaryFolder(t);
  writeStore(home, { a: { baseUrl, namespace: 'media', key } }, 'a');
  const { modules, parts } = await loadedBy(['resolve', '@x'], { XDG_CONFIG_HOME: home });
  assert.deepEqual(
    modules.filter((name) => unused.includes(name)),
    [],
  );
  assert.deepEqual(parts, ['dispatcher', 'ndjson', 'resolve', 'start.cjs']);
});

test('a table without colour loads cli-table3, and no chalk', async (t) => {
  const { files, parts } = await loadedBy(['resolve', '@x', '-f', 'table'], await service(t));
  assert.deepEqual(files, ['chanlist.js', 'launch.cjs', 'core.cjs']);
  assert.deepEqual(parts, ['cli-table3', 'dispatcher', 'resolve', 'start.cjs', 'table']);
});

test('a listing to stdout loads the ledger, and nothing of exports or the sandbox', async (t) => {
  const { files, parts } = await loadedBy(['uploads', '@x'], await service(t));
  assert.deepEqual(files, ['chanlist.js', 'launch.cjs', 'core.cjs', 'ledger', 'chunk']);
  assert.deepEqual(parts, ['dispatcher', 'list-to-stdout', 'ndjson', 'start.cjs', 'uploads']);
});

test('a call that sends nothing does not load the HTTP client', async () => {
  const env = { CHANLIST_BASE_URL: 'http://127.0.0.1:1' };
  const { modules, parts } = await loadedBy(['resolve', '@x', '--dry-run'], env);
  assert.ok(!parts.includes('dispatcher'));
  assert.ok(!modules.includes('v8'));
});
