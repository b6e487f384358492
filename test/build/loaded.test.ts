import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cleanEnvironment, serviceEnvironment } from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';
import { runCommand } from '../support/shell.ts';

interface Loaded {
  /** Public modules of Node that are not loaded at its own start. */
  readonly modules: readonly string[];
  /** Files of the program, without the part of the name that changes with their text. */
  readonly files: readonly string[];
}

async function loadedBy(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Loaded> {
  const preload = join(process.cwd(), 'test/build/loaded.cjs');
  const words = [process.execPath, '-r', preload, 'bin/chanlist.js', ...args];
  const { exit, stderr } = await runCommand(words, { cwd: process.cwd(), env: cleanEnvironment(env) });
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
  const modules = unusedModules.filter(
    (name) => !usedModules.includes(name) && loaded.modules.includes(name),
  );
  const parts = [...unusedFiles, ...files].filter((name) => loaded.files.includes(name));
  assert.deepEqual([modules, parts], [[], []]);
}

test('--version loads only the launcher; any other call no part that it does not use', async (t) => {
  assert.deepEqual(await loadedBy(['--version'], {}), { modules: [], files: ['chanlist', 'launch'] });
  const built = (await readdir('dist')).map((name) => name.replace(/(?:-[A-Z0-9]{8})?\.cjs$/, ''));
  for (const name of [...unusedFiles, 'list', 'table', 'http']) assert.ok(built.includes(name), name);
  const env = await service(t);
  for (const [line, ...files] of [
    ['--help', 'list', 'http', 'table'],
    ['help formats', 'list', 'http', 'table'],
    ['resolve @x', 'list', 'table'],
    ['resolve @x -f table', 'list'],
    ['resolve @x --dry-run', 'http', 'list', 'table'],
  ] as const)
    refuse(await loadedBy(line.split(' '), env), files);
  // The ledger uses it.
  refuse(await loadedBy(['uploads', '@x'], env), ['table'], ['crypto']);
});
