import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { seeded } from '../../src/sandbox/random.ts';
import {
  channelId,
  type Feed,
  feedEntry,
  type SimulatedChannel,
  short,
  video,
  videoId,
  videos,
} from '../support/simulated-service.ts';
import { idsInText, World, type WorldRun } from '../support/world.ts';
import {
  type FeedItem,
  type File,
  type Flag,
  type Form,
  isView,
  nothing,
  Open,
  type Plan,
  type PlannedStop,
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
const forms = ['ndjson', 'ndjson', 'ndjson', 'fields', 'csv', 'json', 'id'] as const;
const umasks = [0o000, 0o002, 0o022, 0o077] as const;
const modes = [0o600, 0o640, 0o644, 0o660, 0o664, 0o666] as const;

/** What happened so far, for a failure. */
type Story = string[];

/** A sequence of runs and of changes of the world; each run is compared with the model. */
class Sequence {
  readonly #world: World;
  readonly #channel: SimulatedChannel;
  readonly #random: () => number;
  readonly #story: Story;
  readonly #isFolder: boolean;
  /** The name of FILE. */
  readonly #name: string;
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
    this.#isFolder = this.#below(3) === 0;
    this.#name = this.#isFolder ? `${channelId('a')}.ndjson` : 'out';
    for (const name of ['out', `${channelId('a')}.ndjson`, '.chanlist']) world.remove(name);
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
      isFolder: this.#isFolder,
    };
    try {
      return predict(state, plan, around);
    } catch (error) {
      if (error instanceof Open) return null;
      throw error;
    }
  }

  #line({ flag, form, limit, isOther, isBounded, service }: Plan): string[] {
    const words: Readonly<Record<Flag, readonly string[]>> = {
      none: [],
      update: ['--update'],
      all: ['--update', '--all'],
      restart: ['--restart'],
    };
    return [
      ...['uploads', isOther ? '@b' : '@a', ...words[flag]],
      ...(this.#isFolder ? ['--output-dir', '.'] : ['-o', 'out']),
      ...(form === 'fields' ? ['-f', 'ndjson', '--fields', 'videoId,title'] : ['-f', form]),
      ...(limit === null ? [] : ['-n', String(limit)]),
      ...(isBounded ? ['--max-credits', '1'] : []),
      ...(service === '127.0.0.1'
        ? []
        : ['--base-url', this.#world.service.url.replace('127.0.0.1', service)]),
    ];
  }

  async #perform(plan: Plan, expected: Prediction): Promise<void> {
    const { stop, umask } = plan;
    const args = this.#line(plan);
    const how = stop === null ? '' : `, ${stop.by} at page ${stop.at}`;
    const mask = umask.toString(8).padStart(3, '0');
    this.#story.push(`${args.join(' ')}${how}, umask ${mask}: expected ${JSON.stringify(expected)}`);
    const dry = this.#below(4) === 0 ? await this.#world.run([...args, '--dry-run']) : null;
    const before = process.umask(umask);
    const result = await this.#run(args, stop).finally(() => process.umask(before));
    const log = this.#world.service.log
      .slice(-6)
      .map(({ operation, parameters, status, credits }) =>
        JSON.stringify({ operation, parameters, status, credits }),
      );
    const shown = `${this.#story.join('\n')}\n${result.stderr}\n${log.join('\n')}`;
    const { exit, credits, isRefused } = expected;
    assert.deepEqual({ exit: result.exit, credits: result.credits }, { exit, credits }, shown);
    // Which ID a reference has, only a record tells without a request.
    const isKnown = !plan.isOther && (this.#state.finished ?? this.#state.progress) !== null;
    if (dry !== null && isRefused && isKnown)
      assert.equal(dry.exit, exit, `--dry-run: ${dry.stderr}\n${shown}`);
    this.#checkFile(this.#state.file, shown);
    checkReport(result, plan, shown);
    if (exit !== 0 || this.#state.progress !== null) return;
    const rows = readdirSync(join(this.#world.folder, '.chanlist')).filter((name) => name.endsWith('.part'));
    assert.deepEqual(rows, [], `rows that nothing needs:\n${shown}`);
  }

  async #run(args: readonly string[], stop: PlannedStop | null): Promise<WorldRun> {
    const world = this.#world;
    if (stop?.by === 'blocked') return await this.#runBlocked(args, stop.at);
    // Real kills take longer; they charge for the page, which the service sends to nobody.
    const isReal = long && stop?.by === 'kill-charged' && this.#below(4) === 0;
    return isReal ? await world.spawn(args, stop.at) : await world.run(args, stop);
  }

  /** A folder has the name of FILE from a page on. */
  async #runBlocked(args: readonly string[], at: number): Promise<WorldRun> {
    const path = join(this.#world.folder, this.#name);
    let left = at;
    const unhook = this.#world.service.on(({ operation }) => {
      if (operation !== 'uploads' || --left !== 0) return;
      if (existsSync(path)) renameSync(path, `${path}.away`);
      mkdirSync(path);
    });
    const result = await this.#world.run(args);
    unhook();
    if (left <= 0) rmdirSync(path);
    if (existsSync(`${path}.away`)) renameSync(`${path}.away`, path);
    return result;
  }

  #checkFile(file: File | null, shown: string): void {
    const { folder } = this.#world;
    const path = join(folder, this.#name);
    assert.equal(existsSync(path), file !== null, `FILE after:\n${shown}`);
    if (file === null) return;
    const lines = this.#world.read(this.#name).split('\n');
    const sound = isView(file.form) ? lines : lines.filter((line) => line === '' || /^\{.*\}$/.test(line));
    assert.equal(lines.length - sound.length, file.badLines, `FILE after:\n${shown}`);
    assert.deepEqual(idsInText(sound.join('\n'), file.form), file.ids, `FILE after:\n${shown}`);
    assert.equal((statSync(path).mode & 0o777).toString(8), file.mode.toString(8), `mode after:\n${shown}`);
  }

  #plan(): Plan {
    const flag = this.#oneOf<Flag>(['none', 'none', 'none', 'update', 'update', 'update', 'all', 'restart']);
    const { file, progress, finished } = this.#state;
    const known = progress?.request ?? finished?.request ?? (file && { form: file.form, limit: null });
    let form = known && this.#below(8) > 0 ? known.form : this.#oneOf<Form>(forms);
    if (this.#isFolder && isView(form)) form = 'ndjson';
    const canLimit = flag === 'none' || flag === 'restart';
    let limit: number | null = null;
    if (canLimit && this.#below(6) === 0) limit = this.#oneOf([2, 4, 7, 40]);
    else if (canLimit && known && this.#below(8) > 0) limit = known.limit;
    const isBounded = this.#below(5) === 0;
    const stop: PlannedStop | null =
      !isBounded && this.#below(3) === 0
        ? {
            at: 1 + this.#below(4),
            by: this.#oneOf<PlannedStop['by']>([402, 500, 'kill', 'kill-charged', 'blocked']),
          }
        : null;
    const service = this.#below(10) === 0 ? 'localhost' : '127.0.0.1';
    const isOther = !this.#isFolder && this.#below(15) === 0;
    return { flag, form, limit, isBounded, stop, service, isOther, umask: this.#oneOf(umasks) };
  }

  /** Changes the service, the time or the folder; returns what it did. */
  #change(): string | null {
    const world = this.#world;
    const { list } = this.#channel;
    const at = this.#below(list.length);
    switch (this.#below(15)) {
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
        const isHidden = this.#below(2) === 0;
        if (!isHidden) this.#items = this.#items.filter(({ id }) => id !== gone?.videoId);
        return `${gone?.videoId} deleted${isHidden ? ', but in the feed' : ''}`;
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
      case 7:
        world.pass(8);
        return 'eight days';
      case 8:
        list.unshift(...list.splice(at, 1));
        return `entry ${at} pinned`;
      case 9:
        list.splice(at, 0, video(videoId(this.#uploads++)));
        return `made public late, at ${at}`;
      case 10:
        return `${this.#announce(null)} is a Short`;
      case 11:
        return `${this.#announce(0)} is never in the list`;
      case 12:
        return `${this.#announce(world.now + (1 + this.#below(60)) * 60 * minute, true)} is a premiere`;
      case 13:
        this.#lag = 1 + this.#below(3);
        return `the feed lags for ${this.#lag} runs`;
      default:
        return this.#changeFolder();
    }
  }

  /** Changes FILE, or what `.chanlist` keeps. */
  #changeFolder(): string | null {
    const world = this.#world;
    const { file, progress, versions } = this.#state;
    const name = this.#name;
    const own = join(world.folder, '.chanlist');
    const rows = existsSync(own) ? readdirSync(own).filter((each) => each.endsWith('.part')) : [];
    const change = (next: Partial<File> | null): void => {
      const changed = file && next && { ...file, ...next, version: versions + 1 };
      this.#state = { ...this.#state, file: changed ?? null, versions: versions + 1 };
    };
    switch (this.#below(9)) {
      case 0: {
        if (this.#below(2) === 0) return null;
        world.remove('.chanlist');
        this.#state = withoutRecord(this.#state);
        return '.chanlist deleted';
      }
      case 1: {
        if (progress === null || progress.rows !== 'sound' || rows.length === 0) return null;
        if (progress.ids.length === 0 || progress.placing === 'done') return null;
        const isRemoved = this.#below(2) === 0;
        for (const each of rows)
          if (isRemoved) world.remove(`.chanlist/${each}`);
          else world.write(`.chanlist/${each}`, 'x');
        this.#state.progress = { ...progress, rows: isRemoved ? 'missing' : 'damaged', older: [] };
        return `rows ${isRemoved ? 'removed' : 'damaged'}`;
      }
      case 2: {
        const [only] = rows;
        if (progress?.placing !== 'failed' || progress.kind === 'update' || progress.rows !== 'sound')
          return null;
        if (only === undefined || progress.request.form !== 'ndjson') return null;
        renameSync(join(own, only), join(world.folder, name));
        const { ids } = progress;
        const placed: File = { ids, form: 'ndjson', badLines: 0, version: versions + 1, mode: 0o600 };
        this.#state = {
          ...this.#state,
          ...{ file: placed, versions: versions + 1, progress: { ...progress, placing: 'done' } },
        };
        return 'FILE is replaced, its record does not know';
      }
    }
    if (file === null || progress?.placing === 'done') return null;
    const lines = world.read(name).split('\n');
    const at = this.#below(file.ids.length);
    switch (this.#below(6)) {
      case 0:
        world.remove(name);
        change(null);
        return 'FILE deleted';
      case 1: {
        const mode = this.#oneOf(modes);
        chmodSync(join(world.folder, name), mode);
        this.#state.file = { ...file, mode };
        return `FILE has mode ${mode.toString(8)}`;
      }
      case 2: {
        if (isView(file.form)) return null;
        world.write(name, `{"videoId":"a_0\n${lines.join('\n')}`);
        change({ badLines: file.badLines + 1 });
        return 'FILE damaged';
      }
      case 3: {
        if (isView(file.form)) return null;
        const id = `fake_${versions}`;
        world.write(name, `{"videoId":"${id}","channelId":"${channelId('a')}"}\n${lines.join('\n')}`);
        change({ ids: [id, ...file.ids] });
        return 'an entry added to FILE';
      }
      case 4:
        world.write(name, 'one\ntwo\n');
        change({ ids: [], form: 'ndjson', badLines: 2 });
        return 'FILE is a text';
      default: {
        if (file.ids.length < 3 || file.badLines > 0 || file.form === 'json') return null;
        world.write(name, lines.toSpliced(at + (file.form === 'csv' ? 1 : 0), 1).join('\n'));
        change({ ids: file.ids.toSpliced(at, 1) });
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
function checkReport({ exit, errors, stdout }: WorldRun, { form }: Plan, shown: string): void {
  // As json was asked for, a failure before any request is on stdout, too.
  assert.match(stdout, form === 'json' ? /^(?:\{"error":.*\n)?$/ : /^$/, shown);
  if (exit === null) return;
  assert.equal(errors.length, exit === 0 ? 0 : 1, shown);
}

/** Runs so many steps, in sequences of twelve, each in a new folder; throws with the story of the sequence that failed. */
export async function randomRuns(t: TestContext, steps: number, seed: number): Promise<void> {
  const world = await World.open(t, { pageSize, credits: Number.MAX_SAFE_INTEGER });
  world.service.addChannel('b', { list: videos(0, 5, {}, 'b_') });
  const random = seeded(seed);
  for (let step = 0; step < steps; ) {
    const story: Story = [`seed ${seed}, step ${step}`];
    const sequence = new Sequence(world, random, story);
    world.service.log.length = 0;
    for (const end = Math.min(steps, step + 12); step < end; step++) await sequence.step();
  }
}
