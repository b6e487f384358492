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
    const update = this.has(this.output[1] ?? '') ? ['--update'] : [];
    const words = ['uploads', ...this.references, ...this.output, ...update, ...wordsOf(more)];
    const result = await this.run(words, options);
    this.pass(1);
    return result;
  }

  async nights(count: number): Promise<WorldRun[]> {
    const all: WorldRun[] = [];
    for (let n = 0; n < count; n++) all.push(await this.night());
    return all;
  }
}

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

/** What most tests are about: credits are those of the service. */
export const outcome = ({ exit, only, credits }: WorldRun) => ({
  exit,
  status: only.status,
  credits,
  added: only.new,
});

export const unchanged = { exit: 0, status: 'unchanged', credits: 0, added: 0 };

/** An update that added so many entries for so many credits. */
export const updated = (added: number, credits: number) => ({ exit: 0, status: 'complete', credits, added });

export const idsIn = (list: readonly { readonly videoId?: unknown }[]): unknown[] =>
  list.map(({ videoId }) => videoId);
