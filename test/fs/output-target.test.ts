import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { assertDistinctPaths, assertPossibleNames, resolveTarget } from '../../src/fs/output-target.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';

async function inFolder(t: TestContext): Promise<(...names: string[]) => string> {
  const folder = realpathSync(await temporaryFolder(t));
  return (...names) => join(folder, ...names);
}

test('a new file, and an existing one with its mode', async (t) => {
  const at = await inFolder(t);
  const path = at('out.csv');
  assert.deepEqual(resolveTarget(path), { path, real: path, stats: null });
  writeFileSync(path, '');
  chmodSync(path, 0o604);
  assert.equal((resolveTarget(path).stats?.mode ?? 0) & 0o777, 0o604);
  // A printed command would take it for a flag.
  assert.equal(resolveTarget('-new').path, './-new');
});

test('a symbolic link is followed: relative, dangling, in chains, through linked folders', async (t) => {
  const at = await inFolder(t);
  mkdirSync(at('deep', 'data'), { recursive: true });
  mkdirSync(at('links'));
  writeFileSync(at('deep', 'out'), 'x');
  symlinkSync('../deep/out', at('links', 'one'));
  symlinkSync(at('links', 'one'), at('two'));
  symlinkSync('deep/data/new', at('dangling'));
  symlinkSync('deep/data', at('data'));
  symlinkSync('data/../out', at('up'));
  const real = (path: string): string => resolveTarget(path).real;
  assert.equal(real(at('two')), at('deep', 'out'));
  assert.equal(real(at('up')), at('deep', 'out'), '.. behind a linked folder is its real parent');
  assert.equal(real(`${at('data')}/../out`), at('deep', 'out'));
  assert.equal(real(at('data', 'x')), at('deep', 'data', 'x'));
  assert.equal(real(at('dangling')), at('deep', 'data', 'new'));
  assert.equal(real('new-file'), join(process.cwd(), 'new-file'));
});

test('refused before anything is paid: anything but a regular file, and paths that do not exist', {
  timeout: 30_000,
}, async (t) => {
  const at = await inFolder(t);
  mkdirSync(at('folder'));
  writeFileSync(at('file'), '');
  symlinkSync('b', at('a'));
  symlinkSync('a', at('b'));
  symlinkSync('folder', at('to-folder'));
  symlinkSync('missing/out', at('dangling'));
  symlinkSync('/dev/null', at('to-device'));
  execFileSync('mkfifo', [at('pipe')]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(at('socket'), resolve));
  t.after(() => server.close());
  const redirect = 'write to stdout and redirect it';
  const cases: readonly (readonly [path: string, ...words: string[]])[] = [
    [at('folder'), 'a folder', 'give a file'],
    [at('to-folder'), 'a folder'],
    [`${at('new')}/`, 'a folder'],
    ['.', 'a folder'],
    ['', 'a folder'],
    [at('pipe'), 'a named pipe', redirect],
    [at('socket'), 'a socket', redirect],
    [at('to-device'), 'a device', redirect],
    ['/dev/null', 'a device', redirect],
    ['/dev/stdout', 'a device', redirect],
    ['/dev/fd/999', 'a device', redirect],
    ['/proc/self/fd/2', 'a device', redirect],
    [at('a'), 'a symbolic link that is not followed'],
    [at('missing', 'out'), `the folder ${at('missing')} does not exist`, 'create it first'],
    [at('missing', 'below', 'out'), at('missing', 'below'), 'does not exist'],
    [at('dangling'), 'the folder that it is a link to does not exist', 'create it first'],
    [at('file', 'out'), 'not a folder'],
    [at('x'.repeat(300)), 'too long'],
  ];
  for (const [path, ...words] of cases)
    assert.throws(() => resolveTarget(path), isFailure(2, ...words), path);
});

const input = (flag: string, path: string) => ({ flag, path, kind: 'input' as const });
const output = (flag: string, path: string) => ({ flag, path, kind: 'output' as const });

test('no output is an input or another output, also through links; two inputs may be the same', async (t) => {
  const at = await inFolder(t);
  writeFileSync(at('refs'), '');
  linkSync(at('refs'), at('hard'));
  symlinkSync('refs', at('soft'));
  symlinkSync('.', at('here'));
  symlinkSync('new', at('dangling'));
  const isRefused = (one: string, other: string): void => {
    for (const file of [input('--from', at(other)), output('--seen', at(other))]) {
      const both = isFailure(2, '--summary', file.flag, 'are the same file');
      assert.throws(() => assertDistinctPaths([output('--summary', at(one)), file]), both);
      assert.throws(() => assertDistinctPaths([file, output('--summary', at(one))]), both);
    }
  };
  for (const one of ['refs', 'hard', 'soft', 'here/refs'])
    for (const other of ['refs', 'hard', 'soft']) isRefused(one, other);
  for (const other of ['here/new', 'dangling']) isRefused('new', other);
  assertDistinctPaths([
    output('-o', at('new')),
    output('--summary', at('new.json')),
    input('--from', at('refs')),
    input('--key-file', at('soft')),
    input('--from', '-'),
    input('--from', at('missing', 'refs')),
  ]);
  // `-` as an input is stdin, whatever that is; as an output it would be a file of this name.
  const stdin = isFailure(2, '--from -', 'are the same file');
  assert.throws(() => assertDistinctPaths([output('-o', '/dev/stdin'), input('--from', '-')]), stdin);
  assertDistinctPaths([output('-o', './-'), input('--from', '-')]);
});

test("no output lies in a folder of the program's own", async (t) => {
  const at = await inFolder(t);
  mkdirSync(at('.chanlist'));
  symlinkSync('.chanlist', at('link'));
  const refused = isFailure(2, '-o', "chanlist's own folder");
  for (const path of ['.chanlist/a.json', 'link/a.json', '.chanlist', '.chanlist/'])
    assert.throws(() => assertDistinctPaths([output('-o', at(path))]), refused);
  assertDistinctPaths([output('-o', at('.chanlist.ndjson')), output('--seen', at('x.chanlist'))]);
});

test('names that Windows cannot have are usage errors there, and only there', () => {
  for (const [path, problem] of [
    ['C:\\lists\\bad|name.csv', 'it contains "|"'],
    ['lists/what?/a.csv', 'it contains "?"'],
    ['a.csv:stream', 'it contains ":"'],
    ['a\u0007', 'it contains "\\u0007"'],
    ['con', 'it is the device "con"'],
    ['lists/NUL.tar.gz', 'it is the device "NUL"'],
    ['com1 .csv', 'it is the device "com1"'],
    ['CONOUT$', 'it is the device "CONOUT$"'],
    ['a.', 'it ends with "."'],
    ['a /b', 'it ends with " "'],
  ] as const) {
    assert.throws(() => assertPossibleNames(path, 'win32'), isFailure(2, problem, 'choose another name'));
    assertPossibleNames(path, 'linux');
  }
  const possible = String.raw`C:\a.csv C:a \\server\share\a \\?\C:\a ..\.\a console com10 .a it's`;
  for (const path of possible.split(' ')) assertPossibleNames(path, 'win32');
});
