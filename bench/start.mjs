import { join } from 'node:path';
import { inTurn } from './measure.mjs';

/** Targets as multiples of bare Node: on Node 20, and on later versions. */
const targets = { version: [1.1, 1.2], help: [1.9, 1.9], resolve: [2.36, 2.57], table: [2.65, 2.8] };

/** Whole-process time of short calls, as multiples of `node empty.mjs`. */
export async function measureStart({ node, major, program, env, peers, runs }) {
  const target = (name) => targets[name][major === 20 ? 0 : 1];
  const call = (what, name, args) => ({
    what,
    target: target(name),
    command: [node, program, ...args],
    env,
  });
  const table = ['resolve', '@x', '-f', 'table'];
  const [bare, ...rest] = await inTurn(
    [
      { what: 'node empty.mjs', command: [node, join(import.meta.dirname, 'peers/empty.mjs')], env },
      call('--version', 'version', ['--version']),
      call('--help', 'help', ['--help']),
      call('resolve @x', 'resolve', ['resolve', '@x']),
      call('resolve @x, as a table', 'table', table),
      ...peers,
    ],
    runs,
  );
  return rest.map((row) => ({ ...row, of: bare.median }));
}
