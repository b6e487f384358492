import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { seeded } from '../../src/sandbox/random.ts';
import {
  type Feed,
  feedEntry,
  type SimulatedChannel,
  short,
  video,
  videoId,
  videos,
} from '../support/simulated-service.ts';
import { type Stop, World, type WorldRun } from '../support/world.ts';
import {
  type FeedItem,
  type Flag,
  type Format,
  nothing,
  Open,
  type Plan,
  type Prediction,
  predict,
  type State,
  type Surroundings,
  withoutRecord,
} from './model.ts';

/** A part of the kills is real. */
const long = process.env.CHANLIST_LONG === '1';
const pageSize = 3;
const minute = 60_000;
const formats = ['ndjson', 'csv', 'id'] as const;

/** What happened so far, for a failure. */
type Story = string[];

/** A sequence of runs and of changes of the world; each run is compared with the model. */
class Sequence {
  readonly #world: World;
  readonly #channel: SimulatedChannel;
  readonly #random: () => number;
  readonly #story: Story;
  #state: State = nothing;
  /** What the feed has, newest first, and what of it is shown: later, while it lags. */
  #items: FeedItem[];
  #shown: readonly FeedItem[] = [];
  #lag = 0;
  /** In place of the feed. */
  #noFeed: Feed | null = null;
  #epoch = 0;
  #uploads: number;

  constructor(world: World, random: () => number, story: Story) {
    this.#world = world;
    this.#random = random;
    this.#story = story;
    this.#uploads = 4 + this.#below(11);
    world.remove('out');
    world.remove('.chanlist');
    this.#channel = world.service.addChannel('a', { list: videos(0, this.#uploads) });
    this.#items = this.#list().map((id) => ({ id, from: 0 }));
    story.push(`${this.#uploads} uploads`);
  }

  /** One run, perhaps after a change. */
  async step(): Promise<void> {
    this.#world.now += 10 * minute;
    if (this.#below(2) === 0) {
      const change = this.#change();
      if (change !== null) this.#story.push(`(${change})`);
    }
    this.#publish();
    for (let tries = 0; tries < 20; tries++) {
      const plan = this.#plan();
      const state = { ...this.#state };
      const prediction = this.#predict(state, plan);
      if (prediction === null) continue;
      this.#state = state;
      return await this.#perform(plan, prediction);
    }
  }

  #predict(state: State, plan: Plan): Prediction | null {
    const around: Surroundings = {
      list: this.#list(),
      feed: this.#noFeed === null ? this.#shown : null,
      pageSize,
      epoch: this.#epoch,
      now: this.#world.now,
    };
    try {
      return predict(state, plan, around);
    } catch (error) {
      if (error instanceof Open) return null;
      throw error;
    }
  }

  async #perform(plan: Plan, expected: Prediction): Promise<void> {
    const { flag, format, limit, isBounded, stop } = plan;
    const words: Readonly<Record<Flag, readonly string[]>> = {
      none: [],
      update: ['--update'],
      all: ['--update', '--all'],
      restart: ['--restart'],
    };
    const args = [
      ...['uploads', '@a', '-o', 'out', '-f', format, ...words[flag]],
      ...(limit === null ? [] : ['-n', String(limit)]),
      ...(isBounded ? ['--max-credits', '1'] : []),
    ];
    const how = stop === null ? '' : `, ${stop.by} at page ${stop.at}`;
    this.#story.push(`${args.slice(2).join(' ')}${how}: expected ${JSON.stringify(expected)}`);
    // Real kills take longer; they charge for the page, which the service sends to nobody.
    const isReal = long && stop?.by === 'kill-charged' && this.#below(4) === 0;
    const result = isReal ? await this.#world.spawn(args, stop.at) : await this.#world.run(args, stop);
    const { file } = this.#state;
    const log = this.#world.service.log
      .slice(-6)
      .map(({ operation, parameters, status, credits }) =>
        JSON.stringify({ operation, parameters, status, credits }),
      );
    const shown = `${this.#story.join('\n')}\n${result.stderr}\n${log.join('\n')}`;
    assert.deepEqual({ exit: result.exit, credits: result.credits }, expected, shown);
    const ids = this.#world.ids('out', file?.format ?? format);
    assert.deepEqual(ids, file === null ? null : file.ids, `FILE after:\n${shown}`);
    checkReport(result, shown);
  }

  #plan(): Plan {
    const flag = this.#oneOf<Flag>(['none', 'none', 'none', 'update', 'update', 'update', 'all', 'restart']);
    const known = this.#state.file?.format ?? this.#state.progress?.request.format;
    const format = known !== undefined && this.#below(8) > 0 ? known : this.#oneOf<Format>(formats);
    const canLimit = flag === 'none' || flag === 'restart';
    const lastLimit = this.#state.progress?.request.limit ?? this.#state.finished?.request.limit;
    let limit: number | null = null;
    if (canLimit && this.#below(6) === 0) limit = this.#oneOf([2, 4, 7, 40]);
    else if (canLimit && lastLimit !== undefined && this.#below(2) === 0) limit = lastLimit;
    const isBounded = this.#below(5) === 0;
    const stop: Stop | null =
      !isBounded && this.#below(3) === 0
        ? { at: 1 + this.#below(4), by: this.#oneOf<Stop['by']>([402, 500, 'kill', 'kill-charged']) }
        : null;
    return { flag, format, limit, isBounded, stop };
  }

  /** Changes the service, the time or the folder; returns what it did. */
  #change(): string | null {
    const world = this.#world;
    const { file } = this.#state;
    const { list } = this.#channel;
    const at = this.#below(list.length);
    switch (this.#below(17)) {
      case 0:
      case 1:
      case 2: {
        const count = 1 + this.#below(9);
        for (let n = 0; n < count; n++) this.#announce(0, true);
        return `${count} new uploads`;
      }
      case 3: {
        if (list.length < 6) return null;
        const [gone] = list.splice(at, 1);
        this.#items = this.#items.filter(({ id }) => id !== gone?.videoId);
        return `${gone?.videoId} deleted`;
      }
      case 4: {
        this.#noFeed = this.#noFeed === null ? this.#oneOf([404, 500, 'empty', 'garbage'] as const) : null;
        return `feed: ${this.#noFeed ?? 'back'}`;
      }
      case 5: {
        this.#world.service.expireTokens();
        this.#epoch++;
        return 'tokens refused';
      }
      case 6:
        world.pass(1);
        return 'a day';
      case 11:
        list.unshift(...list.splice(at, 1));
        return `entry ${at} pinned`;
      case 12:
        list.splice(at, 0, video(videoId(this.#uploads++)));
        return `made public late, at ${at}`;
      case 13:
        return `${this.#announce(null)} is a Short`;
      case 14:
        return `${this.#announce(0)} is never in the list`;
      case 15:
        return `${this.#announce(world.now + (1 + this.#below(60)) * 60 * minute, true)} is a premiere`;
      case 16:
        this.#lag = 1 + this.#below(3);
        return `the feed lags for ${this.#lag} runs`;
      case 7:
        world.pass(8);
        return 'eight days';
      case 8: {
        if (file === null || this.#below(2) === 0) return null;
        world.remove('out');
        this.#state = { ...this.#state, file: null };
        return 'FILE deleted';
      }
      case 9: {
        if (this.#below(2) === 0) return null;
        world.remove('.chanlist');
        this.#state = withoutRecord(this.#state);
        return '.chanlist deleted';
      }
      default: {
        if (file === null || file.ids.length < 3) return null;
        const at = this.#below(file.ids.length);
        const lines = world.read('out').split('\n');
        world.write('out', lines.toSpliced(at + (file.format === 'csv' ? 1 : 0), 1).join('\n'));
        this.#state = { ...this.#state, file: { ...file, ids: file.ids.toSpliced(at, 1) } };
        return `row ${at} removed`;
      }
    }
  }

  /** A new ID on top of the feed, and of the list; returns it. */
  #announce(from: number | null, isListed = false): string {
    const id = videoId(this.#uploads++);
    this.#items.unshift({ id, from });
    if (isListed) this.#channel.list.unshift(video(id));
    return id;
  }

  /** Sets the response of `latest`. */
  #publish(): void {
    if (this.#lag > 0) this.#lag--;
    else this.#shown = this.#items.slice(0, 15);
    const entries = this.#shown.map(({ id, from }) =>
      from === null
        ? short(id)
        : from === 0
          ? feedEntry(id)
          : feedEntry(id, { published: new Date(from).toISOString() }),
    );
    this.#channel.feed = this.#noFeed ?? entries;
  }

  #list(): string[] {
    return this.#channel.list.map(({ videoId }) => String(videoId));
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  #oneOf<T>(all: readonly T[]): T {
    const one = all[this.#below(all.length)];
    assert.ok(one !== undefined);
    return one;
  }
}

/** One line for what went wrong, none if all is done. */
function checkReport({ exit, errors, stdout }: WorldRun, shown: string): void {
  assert.equal(stdout, '', shown);
  if (exit === null) return;
  assert.equal(errors.length, exit === 0 ? 0 : 1, shown);
}

/** Runs so many steps, in sequences of twelve, each in a new folder; throws with the story of the sequence that failed. */
export async function randomRuns(t: TestContext, steps: number, seed: number): Promise<void> {
  const world = await World.open(t, { pageSize, credits: Number.MAX_SAFE_INTEGER });
  const random = seeded(seed);
  for (let step = 0; step < steps; ) {
    const story: Story = [`seed ${seed}, step ${step}`];
    const sequence = new Sequence(world, random, story);
    world.service.log.length = 0;
    for (const end = Math.min(steps, step + 12); step < end; step++) await sequence.step();
  }
}
