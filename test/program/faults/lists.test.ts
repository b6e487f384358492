import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { exportsIn } from '../../support/exports.ts';
import { run, serviceEnvironment, temporaryFolder } from '../../support/program.ts';
import { page, scriptedService } from '../../support/service.ts';

const size = 30_000;
/** A heap that a list needs no more than. */
const smallHeap = { NODE_OPTIONS: '--max-old-space-size=256' };

test('a list of 30,000 references is read and checked in seconds, before anything is sent', async (t) => {
  const folder = await temporaryFolder(t);
  const service = await scriptedService(t, () => ({ status: 401, body: {} }));
  const env = { ...serviceEnvironment(service.url), ...smallHeap };
  const lines = Array.from({ length: size }, (_, n) => `@channel${n}`);
  await writeFile(join(folder, 'good.txt'), `${lines.join('\r\n')}\r\n`);
  await writeFile(join(folder, 'bad.txt'), `${lines.join('\n')}\nnonsense\n`);

  const bad = await run('uploads --from bad.txt', { cwd: folder, env });
  assert.equal(bad.exit, 2);
  assert.match(
    bad.stderr,
    /^chanlist: error: bad\.txt:30001: .nonsense. is not a channel reference: [^\n]*\n$/,
  );
  assert.equal(service.seen.length, 0);

  const started = Date.now();
  const good = await run('uploads --from good.txt', { cwd: folder, env });
  assert.equal(good.exit, 3);
  assert.equal(service.seen.length, 1);
  assert.match(good.stderr, /^chanlist: error: [^\n]*; stopped, 29,999 more not reached; [^\n]*\n$/);
  assert.ok(Date.now() - started < 30_000);
});

test('a list that cannot be read is 2', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'folder'));
  for (const name of ['folder', 'missing', '/dev/zero', '']) {
    const result = await run(['uploads', '--from', name], {
      cwd: folder,
      env: { ...serviceEnvironment('http://127.0.0.1:1'), ...smallHeap },
    });
    assert.equal(result.exit, 2, name);
    assert.match(result.stderr, /^chanlist: error: --from[: ][^\n]*\n$/, name);
  }
});

test('file names with spaces, line ends, quotes, leading dashes and bytes beyond ASCII', async (t) => {
  const folder = await temporaryFolder(t);
  const resolved = { channel_id: 'UCtesttesttesttesttestte', resolved_from: '@a' };
  const service = await scriptedService(t, ({ path, query }) => {
    if (path.endsWith('/resolve')) return { body: resolved };
    return { body: query.has('continuation') ? page(2, 3, null, 3) : page(0, 2, 'next', 3) };
  });
  const names = [
    ' a b ',
    'line\nend',
    `it's "q"`,
    '$(x) `y` ; &',
    '-n',
    '--',
    '\u001b[2J',
    'ü日👍',
    '%s*',
    '.hidden',
    '\\',
  ];
  for (const name of names) {
    await mkdir(join(folder, name));
    const cwd = join(folder, name);
    await writeFile(join(cwd, `${name}.txt`), '@a\n');
    const [list, out, summary, dir] = [`${name}.txt`, `./${name}.csv`, `./${name}.json`, `./${name}.dir`];
    const file = await service.run(['uploads', '@a', '-o', out, '--summary', summary], { cwd });
    assert.equal(file.exit, 0, file.stderr);
    const many = await service.run(['uploads', `--from=${list}`, `--output-dir=${dir}`], { cwd });
    assert.equal(many.exit, 0, many.stderr);
    assert.deepEqual(
      (await readdir(cwd)).sort(),
      ['.chanlist', `${name}.csv`, `${name}.dir`, `${name}.json`, `${name}.txt`].sort(),
      JSON.stringify(name),
    );
    assert.deepEqual(await exportsIn(join(cwd, dir)), ['UCtesttesttesttesttestte.ndjson']);
  }
});
