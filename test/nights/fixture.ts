import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Line, wordsOf } from '../support/program.ts';
import { type SimulatedOptions, videos } from '../support/simulated-service.ts';
import { World, type WorldOptions, type WorldRun } from '../support/world.ts';

export interface NightsOptions extends SimulatedOptions {
  /** Words of the nightly line before its options. */
  readonly references?: Line;
  /** Where it writes to, and other options. */
  readonly output?: Line;
}

/**
 * A folder, a service and a nightly line, `uploads @a -o a.ndjson --update`, which runs once a day at three; the first
 * night, without `--update`, is the first export. Each run is held to its summary.
 */
export class Nights extends World {
  override readonly isReported = true;
  references: readonly string[] = [];
  output: readonly string[] = [];

  /** The nightly line of this fixture, and more words; then a day passes. */
  async night(more: Line = [], options: WorldOptions = {}): Promise<WorldRun> {
    const isFirst = !existsSync(join(this.folder, this.output[1] ?? ''));
    const ofUpdates = ['--update', '--all', '--print-new'];
    const flags = ['--update', ...wordsOf(more)].filter((word) => !isFirst || !ofUpdates.includes(word));
    const result = await this.run(['uploads', ...this.references, ...this.output, ...flags], options);
    this.pass(1);
    return result;
  }
}

/** Opens a fixture, which ends with the test. */
export async function nightlyRuns(t: TestContext, options: NightsOptions = {}): Promise<Nights> {
  const { references = '@a', output = '-o a.ndjson', ...ofService } = options;
  const { service, folder, home } = await World.open(t, ofService);
  const nights = new Nights(service, folder, home);
  return Object.assign(nights, { references: wordsOf(references), output: wordsOf(output) });
}

/** The same, with a channel of so many uploads, `@a`, on the day after its first export. */
export async function exportedNights(t: TestContext, uploads: number, options: NightsOptions = {}) {
  const nights = await nightlyRuns(t, options);
  const a = nights.service.addChannel('a', { list: videos(0, uploads) });
  await nights.night();
  return { nights, a };
}

/** Exit, status, credits by the service and new entries: what most tests are about. */
export function outcome({ exit, only, credits }: WorldRun) {
  return { exit, status: only.status, credits, new: only.new };
}

export const unchanged = { exit: 0, status: 'unchanged', credits: 0, new: 0 } as const;

/** An update that added so many entries for so many credits. */
export const updated = (added: number, credits: number) => ({
  exit: 0,
  status: 'complete' as const,
  credits,
  new: added,
});

/** IDs of the entries of a list, in its order. */
export const idsIn = (list: readonly { readonly videoId?: unknown }[]): unknown[] =>
  list.map(({ videoId }) => videoId);
