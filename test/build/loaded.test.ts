import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cleanEnvironment, serviceEnvironment } from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';
import { runCommand } from '../support/shell.ts';

interface Loaded {
  /** Modules of Node that are not loaded at its own start. */
  readonly modules: readonly string[];
  readonly files: readonly string[];
}

async function loadedBy(line: string, env: Readonly<Record<string, string>>): Promise<Loaded> {
  const preload = join(process.cwd(), 'test/build/loaded.cjs');
  const words = [process.execPath, '-r', preload, 'bin/chanlist.js', ...line.split(' ')];
  const { exit, stderr } = await runCommand(words, { cwd: process.cwd(), env: cleanEnvironment(env) });
  assert.equal(exit, 0, stderr);
  return JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Loaded;
}

async function service(t: TestContext): Promise<Record<string, string>> {
  const { url } = await scriptedService(t, ({ path, query }) => {
    if (path.endsWith('/resolve')) return { body: { channel_id: 'UCx', resolved_from: query.get('input') } };
    return { body: query.has('continuation') ? page(2, 3, null) : page(0, 2, 'next') };
  });
  return serviceEnvironment(url);
}

/** Modules of Node without a use in a call over plain http. */
const unused =
  'http https _http_client _http_server http2 tls _tls_wrap crypto zlib child_process worker_threads readline ' +
  'perf_hooks dns assert fs/promises internal/fs/streams internal/modules/esm/loader';

test('--version loads only the launcher; any other call no part that it does not use', async (t) => {
  const env = await service(t);
  const launcher = ['chanlist.js', 'package.json'];
  const program = [...launcher, 'chanlist.cjs'];
  for (const [line, files, used] of [
    ['--version', launcher, []],
    ['--help', program, []],
    ['help formats', program, []],
    ['resolve @x', program, []],
    ['resolve @x --dry-run', program, []],
    ['resolve @x -f table', [...program, 'cli-table3.cjs'], []],
    ['uploads @x', program, ['crypto']],
  ] as const) {
    const loaded = await loadedBy(line, env);
    const ours = loaded.files.filter((name) => name !== 'loaded.cjs');
    const needless = loaded.modules.filter((name) => unused.split(' ').includes(name));
    assert.deepEqual([ours, needless], [files, used], line);
  }
});
