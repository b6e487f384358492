import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { videoId, videos } from '../support/simulated-service.ts';
import { World, type WorldRun } from '../support/world.ts';

/** An archive of so many entries, newest first, that chanlist has no record of. */
async function writeLong({ folder }: World, entries: number): Promise<void> {
  const file = createWriteStream(join(folder, 'long'));
  for (let at = entries; at > 0; at -= 10_000) {
    const rows = Array.from({ length: 10_000 }, (_, n) => {
      return `{"videoId":"${videoId(at - 1 - n)}","index":"${entries - at + n}"}\n`;
    });
    if (!file.write(rows.join(''))) await new Promise<void>((resolve) => file.once('drain', () => resolve()));
  }
  await new Promise<void>((resolve) => file.end(() => resolve()));
}

const preload = `NODE_OPTIONS=--require=${join(process.cwd(), 'test/support/peak.cjs')}`;

/** Peak memory allowed for a million entries, in KiB: an update has a plain set of their IDs, `check` keeps nothing. */
const maxPeak = { uploads: 220 * 1024, check: 100 * 1024, show: 220 * 1024 } as const;

test('--update of a million entries, then check and a view of them: memory is that of their IDs', async (t) => {
  const world = await World.open(t);
  await writeLong(world, 1_000_000);
  world.service.addChannel('a', { list: videos(999_900, 1_000_002) });
  const peak = join(world.folder, 'peak');
  const measured = async (command: keyof typeof maxPeak, words: string): Promise<WorldRun> => {
    const run = await world.run(`${command} ${words}`, { within: ['env', `PEAK=${peak}`, preload] });
    assert.equal(run.exit, 0, run.stderr);
    const used = Number(await readFile(peak, 'utf8'));
    t.diagnostic(`${command}: peak ${used >> 10} MiB`);
    assert.ok(used < maxPeak[command], `${command}: ${used} KiB`);
    return run;
  };
  assert.equal((await measured('uploads', '@a -o long --update')).credits, 1);
  assert.equal(JSON.parse((await measured('check', 'long')).stdout).entries, 1_000_002);
  await measured('show', 'long -o view.csv');
});
