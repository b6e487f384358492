import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { command } from '../support/command.ts';
import { temporaryFolder } from '../support/program.ts';
import { takeReceipt } from '../support/receipt.ts';
import { onlyError } from '../support/stderr.ts';

/** Nothing listens there: whoever asks for anything fails with 7. */
const env = { CHANLIST_BASE_URL: 'http://127.0.0.1:9', CHANLIST_API_KEY: 'sk_nobody' };

test('a usage error in the input of a command replaces the last receipt', async (t) => {
  const folder = await temporaryFolder(t);
  const refs = join(folder, 'refs.txt');
  const summary = join(folder, 'summary.json');
  await writeFile(refs, '@a\nnothing of the kind\n');
  for (const name of ['uploads', 'playlist', 'latest', 'resolve']) {
    await writeFile(summary, '{"exit": 0, "from": "yesterday"}\n');
    const args = [name, '--from', refs, '--summary', summary];
    const result = await command(args, { env, now: () => Date.UTC(2026, 0, 2) });
    assert.equal(result.exit, 2, name);
    assert.equal(result.stdout, '');
    const receipt = await takeReceipt(summary);
    const { message = '' } = receipt?.error ?? {};
    assert.match(message, /refs\.txt:2/);
    assert.deepEqual(receipt, {
      error: { code: 'usage', status: null, message },
      command: name,
      started: '2026-01-02T00:00:00.000Z',
      seconds: 0,
      exit: 2,
      credits: { confirmed: 0, possibly_charged: 0 },
      requests: 0,
      retries: 0,
      counts: { complete: 0, limited: 0, unchanged: 0, unchecked: 0, kept: 0, interrupted: 0, failed: 0 },
      references: [],
    });
  }
});

test('a receipt never takes the place of the output; one that cannot be created is 1', async (t) => {
  const folder = await temporaryFolder(t);
  const out = join(folder, 'out.ndjson');
  await writeFile(out, 'kept\n');
  const same = await command(['uploads', 'no reference', '-o', out, '--summary', out], { env });
  assert.equal(same.exit, 2);
  onlyError(same, '--output', '--summary');
  assert.equal(await readFile(out, 'utf8'), 'kept\n');

  await mkdir(join(folder, 'taken'));
  const taken = await command(['search', '@a', 'x', '--summary', join(folder, 'taken')], { env });
  assert.equal(taken.exit, 1);
  onlyError(taken, 'taken');
});

test('--dry-run writes no receipt, even after an error', async (t) => {
  const summary = join(await temporaryFolder(t), 'summary.json');
  for (const reference of ['@a', 'no reference']) {
    await command(['uploads', reference, '--dry-run', '--summary', summary], { env });
    await assert.rejects(readFile(summary), { code: 'ENOENT' });
  }
});
