import assert from 'node:assert/strict';
import { link, mkdir, realpath, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Failure } from '../../src/errors.ts';
import { checkApart, type NamedFile } from '../../src/fs/apart.ts';
import { resolveTarget } from '../../src/fs/target.ts';
import { temporaryFolder } from '../export/temp.ts';

const named = (kind: NamedFile['kind'], flag: string, path: string): NamedFile => ({ kind, flag, path });

const namesBoth =
  (...flags: string[]) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Failure && error.exit === 2, String(error));
    for (const flag of flags) assert.ok(error.message.includes(flag), error.message);
    return true;
  };

test('no output destroys an input or another output, also through links', async (t) => {
  const folder = await realpath(await temporaryFolder(t));
  const at = (...names: string[]): string => join(folder, ...names);
  await writeFile(at('refs'), '');
  await link(at('refs'), at('hard'));
  await symlink('refs', at('soft'));
  await mkdir(at('real', '.chanlist'), { recursive: true });
  await symlink('real', at('linked'));
  await writeFile(at('real', '.chanlist', 'UC1.json'), '');
  for (const output of ['refs', 'hard', 'soft']) {
    for (const input of ['refs', 'hard', 'soft']) {
      const files = [named('output', '--summary', at(output)), named('input', '--from', at(input))];
      await assert.rejects(checkApart(files), namesBoth('--summary', '--from'), `${output} ${input}`);
    }
  }
  for (const end of ['', '.part', '.part.json', '.part.tmp', '.part.json.tmp', '.lock']) {
    await writeFile(at('real', `out${end}`), '');
    for (const kind of ['output', 'input'] as const) {
      const files = [
        named(kind, '--seen', at('linked', `out${end}`)),
        named('output', '-o', at('real', 'out')),
      ];
      await assert.rejects(checkApart(files), namesBoth('--seen', '-o'), `${kind} ${end}`);
      await assert.rejects(checkApart(files.reverse()), namesBoth('--seen', '-o'), `${kind} ${end}`);
    }
  }
  for (const kind of ['output', 'input'] as const) {
    const memory = named(kind, '--summary', at('linked', '.chanlist', 'UC1.json'));
    const files = [memory, named('output', '-o', at('real', 'out'))];
    await assert.rejects(checkApart(files), namesBoth('--summary', '-o'));
    await assert.rejects(checkApart(files.reverse()), namesBoth('--summary', '-o'));
  }
  await checkApart([
    named('output', '-o', at('new')),
    named('output', '--summary', at('new.json')),
    named('input', '--from', at('refs')),
    named('input', '--key-file', at('refs')),
    named('input', '--from', at('missing', 'refs')),
  ]);
  await checkApart([named('output', '-o', '/dev/null'), named('output', '--summary', '/dev/null')]);
});

test('each export of a folder is compared with --summary once its name is known', async (t) => {
  const folder = await temporaryFolder(t);
  const add = await checkApart([named('output', '--summary', join(folder, 'UC2.json'))]);
  add('--output-dir', await resolveTarget(join(folder, 'UC1.json')));
  const second = await resolveTarget(join(folder, 'UC2.json'));
  assert.throws(() => add('--output-dir', second), namesBoth('--summary', '--output-dir'));
});

test('an export that was replaced since is another file, although its old inode is in use', async (t) => {
  const folder = await temporaryFolder(t);
  const at = (name: string): string => join(folder, name);
  const add = await checkApart([]);
  await writeFile(at('UC1'), '');
  await link(at('UC1'), at('UC2'));
  add('--output-dir', await resolveTarget(at('UC1')));
  const second = await resolveTarget(at('UC2'));
  assert.throws(() => add('--output-dir', second), namesBoth('UC1', 'UC2'));
  await writeFile(at('new'), '');
  await rename(at('new'), at('UC1'));
  add('--output-dir', second);
});
