/** What an update reads and keeps of FILE. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Archive } from '../../src/export/archive.ts';
import type { Export } from '../../src/export/exports.ts';
import type { Existing } from '../../src/export/next-step.ts';
import { resolveTarget } from '../../src/fs/output-target.ts';
import { isFailure } from '../support/failures.ts';
import { temporaryFolder } from '../support/program.ts';
import { record, stop } from './files.ts';

const two = '{"videoId":"b"}\n{"videoId":"a"}\n';

/** A function that opens a FILE of this content; its record has two entries. */
async function opener(t: TestContext) {
  const path = join(await temporaryFolder(t), 'file');
  return (content: string, file: Existing['file'], all = false): Archive => {
    writeFileSync(path, content);
    const state = {
      target: resolveTarget(path),
      ...{ id: 'UCa', reference: '@a', value: '@a' },
      context: { stop },
      existing: { file },
    };
    const options = { invocation: { name: 'uploads', flags: [] } };
    const one = { ...state, options, record: file === 'other' ? null : record() };
    return new Archive(one as unknown as Export, all);
  };
}

async function copyOf(archive: Archive): Promise<string> {
  let text = '';
  await archive.copy((chunk) => {
    text += chunk;
  });
  return text;
}

test('FILE as recorded is kept byte for byte, whatever the service has sent', async (t) => {
  const open = await opener(t);
  for (const content of [two, two.trimEnd(), `${two}{"title":"no ID"}\n`, two.replaceAll('\n', '\r\n')]) {
    const archive = open(content, 'archive');
    assert.equal(archive.entries, 2);
    assert.deepEqual([...(await archive.read())], ['b', 'a']);
    assert.equal(await copyOf(archive), content);
    assert.equal(archive.leftOut.badLines, 0);
  }
});

test('FILE that others changed must have all entries, and nothing else', async (t) => {
  const open = await opener(t);
  for (const content of [two, `{"videoId":"c"}\n${two}`]) {
    const archive = open(content, 'changed');
    await archive.read();
    assert.equal(await copyOf(archive), content);
  }
  const hint = 'chanlist uploads @a -o ';
  await assert.rejects(
    open(`${two}x\n`, 'changed').read(),
    isFailure(1, 'is damaged: line 3 is not JSON', hint),
  );
  const lost = isFailure(1, 'has 1 entry, but had 2 entries', hint);
  await assert.rejects(open('{"videoId":"a"}\n', 'changed').read(), lost);
});

test('FILE without a record is an archive if every line is an entry of this channel', async (t) => {
  const open = await opener(t);
  for (const all of [false, true]) {
    assert.deepEqual([...(await open('{"videoId":"a"}\n', 'other', all).read())], ['a']);
    const other = open(`${two}{"videoId":"c","channelId":"UCb"}\n`, 'other', all);
    const failure = isFailure(
      1,
      'is no archive of this channel',
      'line 3 is an entry of UCb',
      'another file',
    );
    await assert.rejects(other.read(), failure);
  }
});

test('--update --all keeps every line that is an entry', async (t) => {
  const open = await opener(t);
  const content = 'x\n{"videoId":"b"}\r\n\n{"videoId":"c","channelId":"UCb"}\n{"videoId":"a"}';
  const archive = open(content, 'changed', true);
  assert.deepEqual([...(await archive.read())], ['b', 'a']);
  assert.deepEqual([archive.entries, archive.leftOut.badLines], [2, 2]);
  assert.equal(archive.leftOut.damage, 'line 1 is not JSON');
  assert.equal(await copyOf(archive), two);
  // As recorded, the service has sent the entry of another channel.
  const recorded = open(content, 'archive', true);
  assert.deepEqual([...(await recorded.read())], ['b', 'c', 'a']);
  assert.equal(recorded.leftOut.badLines, 1);
});
