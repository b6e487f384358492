import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/program.ts';
import { entry, page, scriptedService } from '../support/service.ts';

test('an invalid page ends an export, but not if no further one is needed: then its entries count', async (t) => {
  const cwd = await temporaryFolder(t);
  const invalid = { results: [entry(1), entry(2), entry(3)] };
  const service = await scriptedService(t, ({ path }) => ({
    body: path.endsWith('latest') ? { results: [entry(1)] } : invalid,
  }));
  const ids = async (name: string): Promise<string[]> =>
    (await readFile(join(cwd, name), 'utf8'))
      .split('\n')
      .flatMap((line) => line.match(/video0+(\d)/)?.[1] ?? []);
  const { channelId: id } = entry(0);
  const limited = await service.run(`uploads ${id} -o two.ndjson -n 2`, { cwd });
  assert.deepEqual([limited.exit, await ids('two.ndjson')], [0, ['1', '2']]);
  assert.equal((await service.run(`uploads ${id} -o all.ndjson`, { cwd })).exit, 8);
  const whole = await scriptedService(t, () => ({ body: page(3, 5, null) }));
  assert.equal((await whole.run(`uploads ${id} -o old.ndjson`, { cwd })).exit, 0);
  const updated = await service.run(`uploads ${id} -o old.ndjson --update`, { cwd });
  assert.deepEqual([updated.exit, await ids('old.ndjson')], [0, ['1', '2', '3', '4']]);
});
