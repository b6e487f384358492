/**
 * Kills the exports of test/file-faults at random moments, with changing umasks and modes, again and again until each is done:
 * after some time, after so many requests, or right after a response. (test/file-faults kills before each change of a file.)
 * `npm run chaos`: CHANLIST_COUNT sets how often, CHANLIST_SEED repeats the choices of a run.
 */
import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seeded } from '../../src/sandbox/random.ts';
import { type Scenario, scenarios } from '../file-faults/scenarios.ts';
import { videos } from '../support/simulated-service.ts';
import type { Credits } from '../support/summary.ts';
import { restoreSnapshot, takeSnapshot, World, type WorldRun } from '../support/world.ts';

const wanted = Number(process.env.CHANLIST_COUNT ?? 25);
const seed = Number(process.env.CHANLIST_SEED ?? 7);
const random = seeded(seed);
const below = (n: number): number => Math.floor(random() * n);
const umasks = [0o000, 0o002, 0o022, 0o077] as const;
const modes = [0o600, 0o640, 0o644, 0o660, 0o664, 0o666] as const;
const oneOf = <T>(all: readonly [T, ...T[]]): T => all[below(all.length)] ?? all[0];

const outputsOf = ({ folder }: World, { outputs }: Scenario): (string | undefined)[] => {
  const files = takeSnapshot(folder);
  return outputs.map((name) => files.get(join(folder, name))?.bytes?.toString());
};

/** Interrupted runs, and files under temporary names. */
const leftIn = ({ folder }: World): string[] =>
  [...takeSnapshot(folder).keys()].filter((path) => /\.(?:run|tmp)$/.test(path));

/** Runs the program and kills it at a random moment; it may be done before that. */
async function runKilled(world: World, args: readonly string[], { outputs }: Scenario): Promise<WorldRun> {
  const moment = oneOf(['time', 'request', 'response']);
  const delay = moment === 'time' ? 30 + below(90) : below(4);
  let left = 1 + below(6);
  let kill = (): void => {};
  let timer: NodeJS.Timeout | undefined;
  const unhook = world.service.on(() => {
    if (moment === 'time' || --left !== 0) return;
    // The response is sent when this function has returned.
    if (moment === 'request') kill();
    else timer = setTimeout(kill, delay);
  });
  for (const name of outputs) if (world.has(name)) chmodSync(join(world.folder, name), oneOf(modes));
  const umask = process.umask(oneOf(umasks));
  const run = await world.run(args, {
    started: (child) => {
      kill = () => child.kill('SIGKILL');
      if (moment === 'time') timer = setTimeout(kill, delay);
    },
  });
  process.umask(umask);
  clearTimeout(timer);
  unhook();
  return run;
}

/** Runs a scenario until it is done; returns kills, and credits paid again. */
async function exportOnce(world: World, scenario: Scenario, most: number): Promise<[number, number]> {
  const { name, args, credits, outputs, isRepeatable } = scenario;
  const { service, folder } = world;
  restoreSnapshot(folder, new Map());
  const channel = service.addChannel('a', { list: videos(0, 12) });
  service.addChannel('b', { list: videos(0, 7, {}, 'b_') });
  process.chdir(folder);
  await scenario.prepare({
    channel,
    run: async (words, exit = 0) => assert.equal((await world.run(words)).exit, exit),
  });
  const [before, initial] = [outputsOf(world, scenario), takeSnapshot(folder)];
  const undisturbed = await world.run(args);
  assert.deepEqual([undisturbed.exit, undisturbed.credits], [0, credits], name);
  const after = outputsOf(world, scenario);
  restoreSnapshot(folder, initial);
  let [kills, paid] = [0, 0];
  for (;;) {
    // What --restart has begun is resumed without it.
    const isBegun = leftIn(world).some((path) => path.endsWith('.run'));
    const line = isBegun ? args.filter((word) => word !== '--restart') : args;
    const run = kills >= most ? await world.run(line) : await runKilled(world, line, scenario);
    paid += run.credits;
    const now = outputsOf(world, scenario);
    for (const [i, text] of now.entries())
      assert.ok([before[i], after[i]].includes(text), `${name}: ${outputs[i]} is half-written`);
    if (run.signal !== 'SIGKILL') {
      assert.equal(run.exit, 0, `${name}: ${run.stderr}`);
      break;
    }
    kills++;
    const isDone = now.every((text, i) => text === after[i]);
    if (isDone && !isRepeatable && !leftIn(world).some((path) => path.endsWith('.run'))) break;
  }
  assert.deepEqual(outputsOf(world, scenario), after, name);
  const place = args.includes('out') ? 'out' : (outputs[0] ?? '');
  // Programs that are killed have a clock that runs.
  world.now += 60_000;
  const { exit, stdout } = await world.run(['check', place]);
  // A view has no record.
  assert.equal(exit, /\.ndjson$|^out$/.test(place) && !/--fields|-n/.test(args.join(' ')) ? 0 : 2, stdout);
  assert.ok(
    paid >= credits && paid <= credits + kills,
    `${name}: ${paid} credits for ${credits} pages and ${kills} kills`,
  );
  return [kills, paid - credits];
}

test(`killed at random moments: same bytes, no leftovers, at most the page in flight paid again, and in the ledger (CHANLIST_SEED=${seed})`, {
  timeout: 60_000 + wanted * 5_000,
}, async (t) => {
  const world = Object.assign(await World.open(t, { pageSize: 5 }), { isReported: true });
  const exporting = scenarios.filter(({ args }) => args[0] === 'uploads' && !args.includes('--summary'));
  let [kills, exports, repeats] = [0, 0, 0];
  while (kills < wanted) {
    const [ofThis, extra] = await exportOnce(world, oneOf(exporting as [Scenario]), wanted - kills);
    kills += ofThis;
    repeats += extra;
    exports++;
  }
  const { stdout } = await world.run('credits --json');
  const [{ total }] = JSON.parse(stdout) as [{ total: Credits }];
  const spent = world.service.charged();
  const noted = total.confirmed + total.possibly_charged;
  // A killed run has noted a request that it did not send, and not noted a response.
  assert.ok(
    total.confirmed <= spent && spent <= noted && noted <= spent + kills,
    `${stdout}, ${spent} spent`,
  );
  t.diagnostic(`${kills} kills, ${exports} exports, ${repeats} pages paid again`);
});
