import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runHere as run } from '../../support/command.ts';
import { exportsIn } from '../../support/exports.ts';
import { run as runProcess, serviceEnvironment, temporaryFolder } from '../../support/program.ts';
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

  const bad = await runProcess('uploads --from bad.txt', { cwd: folder, env });
  assert.equal(bad.exit, 2);
  assert.match(
    bad.stderr,
    /^chanlist: error: bad\.txt:30001: .nonsense. is not a channel reference: [^\n]*\n$/,
  );
  assert.equal(service.seen.length, 0);

  const started = Date.now();
  const good = await runProcess('uploads --from good.txt', { cwd: folder, env });
  assert.equal(good.exit, 3);
  assert.equal(service.seen.length, 1);
  assert.match(good.stderr, /^chanlist: error: [^\n]*; stopped, 29,999 more not reached; [^\n]*\n$/);
  assert.ok(Date.now() - started < 30_000);
});

test('a list of something else: every bad line is named, or why it cannot be read', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'folder'));
  const files: readonly (readonly [name: string, bytes: string | Buffer, said: RegExp])[] = [
    ['empty', '', /contains no channel reference/],
    ['comments', '# @a\n\n   \n\t# x\n', /contains no channel reference/],
    ['binary', Buffer.from([0, 1, 2, 255, 10, 0]), /cannot read binary: it is not text/],
    ['utf16', Buffer.from('\ufeff@a\n@b\n', 'utf16le'), /cannot read utf16: it is not text/],
    ['too long', `@a\n@${'a'.repeat(1_000_000)}\n`, /too long:2: the line is longer than 8 KiB/],
    ['latin1', Buffer.from('@a\n@\xe4\n', 'latin1'), /latin1:2: the line is not UTF-8/],
    [
      'several',
      Buffer.concat([Buffer.from([0xff, 10]), Buffer.from(`${'x'.repeat(9000)}\n@a\n${'no\n'.repeat(30)}`)]),
      /several:1, several:2, several:4, .*several:21 and 12 more: 32 are not channel references; the first: the line is not UTF-8/,
    ],
  ];
  for (const [name, bytes, said] of files) {
    await writeFile(join(folder, name), bytes);
    const result = await run(['resolve', '--from', name], {
      cwd: folder,
      env: serviceEnvironment('http://127.0.0.1:1'),
    });
    assert.equal(result.exit, 2, name);
    assert.match(result.stderr, said, name);
    assert.match(result.stderr, /^chanlist: error: [^\n]*\n$/, name);
    assert.ok(result.stderr.length < 1000, name);
  }
  for (const name of ['folder', 'missing', '/dev/zero', '']) {
    const result = await runProcess(['uploads', '--from', name], {
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
