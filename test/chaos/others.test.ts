/**
 * Somebody else changes the pages, or the new FILE, between two file operations of a run; and two runs write one FILE without a
 * lock. Never 0 with a FILE that is not whole. `npm run chaos`: CHANLIST_COUNT sets how often, CHANLIST_SEED repeats.
 */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seeded } from '../../src/sandbox/random.ts';
import { withFault } from '../file-faults/file-faults.ts';
import { videos } from '../support/simulated-service.ts';
import { restoreSnapshot, takeSnapshot, World } from '../support/world.ts';

const count = Number(process.env.CHANLIST_COUNT ?? 25) * 10;
const seed = Number(process.env.CHANLIST_SEED ?? 7);
const random = seeded(seed);
const below = (n: number): number => Math.floor(random() * n);

const changes: readonly ((path: string) => void)[] = [
  (path) => appendFileSync(path, '{"videoId":"x"}\n'),
  (path) => truncateSync(path, 100),
  (path) => truncateSync(path, 0),
  (path) => rmSync(path),
  (path) => {
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
  },
];

const line = 'uploads @a -o a.ndjson';
const commands = [
  { args: line, before: 'nothing' },
  { args: line, before: 'pages' },
  { args: `${line} --restart`, before: 'archive' },
  { args: `${line} --update`, before: 'archive' },
  { args: `${line} --update --all`, before: 'update' },
] as const;

/** The IDs in FILE, which is whole. */
function ids(world: World, shown: string): string[] | null {
  try {
    return world.ids();
  } catch {
    assert.fail(`${shown}: ${world.read('a.ndjson')}`);
  }
}

/** A world with what a command starts from, and the FILEs before and after it. */
async function prepared(world: World, { args, before }: (typeof commands)[number]) {
  const channel = world.service.addChannel('a', { list: videos(0, 12) });
  restoreSnapshot(world.folder, new Map());
  const run = async (more: string, exit: number): Promise<void> =>
    assert.equal((await world.run(`${line}${more}`)).exit, exit);
  if (before === 'pages') await run(' --max-credits 1', 9);
  if (before === 'archive' || before === 'update') await run('', 0);
  channel.list = videos(0, args.includes('--update') ? 23 : 12);
  if (before === 'update') await run(' --update --all --max-credits 1', 9);
  const initial = takeSnapshot(world.folder);
  const old = world.ids();
  return { initial, old, whole: channel.list.map(({ videoId }) => String(videoId)) };
}

test(`${count} changes by somebody else between two file operations (CHANLIST_SEED=${seed})`, {
  timeout: 60_000 + count * 500,
}, async (t) => {
  const world = await World.open(t, { pageSize: 5 });
  const tally = { done: 0, refused: 0 };
  for (const [i, command] of commands.entries()) {
    const { initial, old, whole } = await prepared(world, command);
    const { operations } = await withFault(world.folder, null, () => world.run(command.args));
    for (let left = Math.ceil(count / commands.length); left > 0; left--) {
      restoreSnapshot(world.folder, initial);
      const n = 1 + below(operations.length);
      const [change, which] = [below(changes.length), below(2)];
      const kind = (operation: string): void => {
        const folder = join(world.folder, '.chanlist');
        const names = existsSync(folder) ? readdirSync(folder) : [];
        // The new FILE is not looked at again between the last check and its rename.
        const pattern = operation === 'renameSync' ? /\.run$/ : /\.(?:run|run\.tmp|new\.tmp)$/;
        const name = names.filter((each) => pattern.test(each))[which];
        if (name !== undefined) changes[change]?.(join(folder, name));
      };
      const { result } = await withFault(world.folder, { n, operation: '', kind }, () =>
        world.run(command.args),
      );
      const shown = `${command.args} (${i}), change ${change} of ${which} at ${n}: ${result.exit} ${result.stderr}`;
      const now = ids(world, shown);
      if (result.exit === 0) assert.deepEqual(now, whole, shown);
      else
        assert.ok(
          [old, whole].some((ids) => JSON.stringify(ids) === JSON.stringify(now)),
          shown,
        );
      assert.doesNotMatch(result.stderr, /a system call failed|E[A-Z]+: /, shown);
      result.exit === 0 ? tally.done++ : tally.refused++;
      world.service.log.length = 0;
    }
  }
  t.diagnostic(JSON.stringify(tally));
});

test(`${count / 5} pairs of runs without locks (CHANLIST_SEED=${seed})`, {
  timeout: 60_000 + count * 500,
}, async (t) => {
  const world = await World.open(t, { pageSize: 5 });
  const tally = { both: 0, one: 0, none: 0 };
  for (let n = 0; n < count / 5; n++) {
    const { args } = commands[n % commands.length] ?? commands[0];
    const { whole } = await prepared(world, commands[n % commands.length] ?? commands[0]);
    let left = 1 + below(4);
    let other: ReturnType<World['run']> | null = null;
    const unhook = world.service.on(async () => {
      if (--left === 0) {
        world.remove('.chanlist/a.ndjson.lock');
        other = world.run(args);
      }
      for (let turns = below(20); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
    });
    const first = await world.run(args);
    const runs = [first, ...(other === null ? [] : [await other])];
    unhook();
    const shown = `${args} (${n}): ${runs.map(({ exit, stderr }) => `${exit} ${stderr}`).join(', ')}`;
    const done = runs.filter(({ exit }) => exit === 0).length;
    if (done > 0) assert.deepEqual(world.ids(), whole, shown);
    for (const { exit } of runs) assert.ok([0, 1, 2, 10].includes(exit ?? -1), shown);
    tally[done === 0 ? 'none' : done === runs.length ? 'both' : 'one']++;
    // What the other run has made may be in the way.
    const isInTheWay = (await world.run(`${line} --update`)).stderr.includes('move it away');
    if (isInTheWay) world.remove('a.ndjson');
    const again = await world.run(`${line} --update`);
    assert.deepEqual([again.exit, world.ids()], [0, whole], `${shown}; ${again.stderr}`);
    world.service.log.length = 0;
  }
  t.diagnostic(JSON.stringify(tally));
});
