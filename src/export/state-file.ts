import { dirname } from 'node:path';
import { type FileOps, removeIfThere } from '../fs/file-ops.ts';
import { damaged, parseState, type State } from './state.ts';

/** Bytes that a state file may have: a token, and what goes with it. */
const largest = 16 * 1024 * 1024;

/** The state of an export on disk: `FILE.part.json`. Each write replaces it whole, durably. */
export class StateFile {
  /** Path of the state file. */
  readonly path: string;
  readonly #temporary: string;
  readonly #ops: FileOps;

  constructor(path: string, ops: FileOps) {
    this.path = path;
    this.#temporary = `${path}.tmp`;
    this.#ops = ops;
  }

  /** The state; null where no export was interrupted. Throws `failed` for a damaged one. */
  async read(): Promise<State | null> {
    const stat = await this.#ops.lstatOwned(this.path);
    if (stat === null) return null;
    if (stat.size > largest) throw damaged(`${this.path} is not a state file`);
    const file = await this.#ops.open(this.path, 'read');
    try {
      return parseState(await file.text(), this.path);
    } finally {
      await file.close();
    }
  }

  /** Throws a usage error if something that is not ours is in the way of the state. */
  async check(): Promise<void> {
    await this.#ops.lstatOwned(this.path);
    await this.#ops.lstatOwned(this.#temporary);
  }

  /**
   * Replaces the state: durable when it resolves. `ready` is waited for before the new state counts: what it
   * speaks of has to be durable first.
   */
  async write(state: State, ready: Promise<void> = Promise.resolve()): Promise<void> {
    await allDone([this.#writeTemporary(state), ready]);
    await this.#ops.rename(this.#temporary, this.path);
    await this.#ops.syncFolder(dirname(this.path));
  }

  async #writeTemporary(state: State): Promise<void> {
    const file = await this.#ops.open(this.#temporary, 'replace');
    try {
      await file.write(Buffer.from(`${JSON.stringify(state)}\n`), 0);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Removes the state: nothing is interrupted any more. */
  async remove(): Promise<void> {
    await removeIfThere(this.#temporary, this.#ops);
    await removeIfThere(this.path, this.#ops);
    await this.#ops.syncFolder(dirname(this.path));
  }
}

/** RetryThrottle for all, then throws the first failure, so that nothing is still under way when it does. */
export async function allDone(works: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) if (result.status === 'rejected') throw result.reason;
}
