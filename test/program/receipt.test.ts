import assert from 'node:assert/strict';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ended, run, serviceEnvironment, start, temporaryFolder } from '../support/program.ts';
import { page, scriptedService } from '../support/service.ts';

test('what could not be written has failed in the receipt, too; its credits are told', async (t) => {
  const service = await scriptedService(t, () => ({ body: page(0, 2, null) }));
  const summary = join(await temporaryFolder(t), 'summary.json');
  for (const command of ['search @a bread', 'uploads @a', 'uploads @a --json', 'search @a bread --json']) {
    const full = await open('/dev/full', 'w');
    const child = start([...command.split(' '), '--summary', summary], {
      env: serviceEnvironment(service.url),
      stdio: ['ignore', full.fd, 'pipe'],
    });
    const result = await ended(child);
    await full.close();
    assert.equal(result.exit, 1, command);
    const { exit, credits, references } = JSON.parse(await readFile(summary, 'utf8'));
    assert.deepEqual([exit, credits], [1, { confirmed: 1, possibly_charged: 0 }], command);
    assert.deepEqual(
      references.map(({ status, exit, error }: Record<string, unknown> & { error: { code: string } }) => [
        status,
        exit,
        error.code,
      ]),
      [['interrupted', 1, 'failed']],
      command,
    );
  }
});

test('a receipt that cannot be written does not hide how the call ended', async (t) => {
  const folder = await temporaryFolder(t);
  const summary = join(folder, 'summary.json');
  for (const [status, exit] of [
    [402, 4],
    [200, 1],
  ] as const) {
    const service = await scriptedService(t, async () => {
      await mkdir(summary, { recursive: true });
      return { status, body: page(0, 1, null) };
    });
    const result = await run(['uploads', '@a', '--summary', summary], {
      env: serviceEnvironment(service.url),
    });
    assert.equal(result.exit, exit);
    assert.match(result.stderr, /^chanlist: [^\n]*summary\.json is a folder, not a regular file/m);
    await rm(summary, { recursive: true });
  }
});
