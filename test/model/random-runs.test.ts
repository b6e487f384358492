/** Random sequences of runs; CHANLIST_SEED repeats one, CHANLIST_COUNT sets their length (`npm run model`). */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { seeded } from '../../src/sandbox/random.ts';
import {
  channelId,
  feedEntry,
  type SimulatedChannel,
  short,
  video,
  videoId,
  videos,
} from '../support/simulated-service.ts';
import { idsInText, World } from '../support/world.ts';
import { type File, type Plan, predict, type State, type Surroundings, text } from './model.ts';

const pageSize = 3;
const minute = 60_000;
const flags = ['none', 'none', 'none', 'update', 'update', 'update', 'all', 'restart'] as const;
const words = { none: [], update: ['--update'], all: ['--update', '--all'], restart: ['--restart'] };
const stops = [402, 500, 'kill', 'kill-charged', 'appears'] as const;
const name = 'out';
const textLines = 'one\ntwo\n';
const others = videos(0, 5, {}, 'b_');

/** A sequence of runs and of changes of the world; each run is compared with the model. */
class Sequence {
  readonly #world: World;
  readonly #channel: SimulatedChannel;
  readonly #random: () => number;
  readonly #story: string[];
  /** The file of pages holds none that is as it was written. */
  #hasUselessPages = false;
  #state: State = { file: null, hasFolder: false, archive: null, run: null, versions: 0 };
  /** What the feed has, newest first, and what of it is shown: later, while it lags. */
  #items: NonNullable<Surroundings['feed']>;
  #shown: NonNullable<Surroundings['feed']>;
  #lag = 0;
  #noFeed: 404 | 500 | 'garbage' | null = null;
  #epoch = 0;
  #uploads: number;

  constructor(world: World, random: () => number, story: string[]) {
    this.#world = world;
    this.#random = random;
    this.#story = story;
    this.#uploads = 4 + this.#below(11);
    for (const name of readdirSync(world.folder)) world.remove(name);
    this.#channel = world.service.addChannel('a', { list: videos(0, this.#uploads) });
    this.#items = this.#channel.list.map(({ videoId }) => ({ id: String(videoId), from: 0 }));
    this.#shown = this.#items;
    story.push(`${this.#uploads} uploads`);
  }

  async step(): Promise<void> {
    this.#world.now += 10 * minute;
    if (this.#below(2) === 0) this.#story.push(`(${this.#change() ?? 'no change'})`);
    if (this.#lag > 0) this.#lag--;
    else this.#shown = this.#items.slice(0, 15);
    this.#channel.feed =
      this.#noFeed ??
      this.#shown.map(({ id, from }) => {
        if (from === null) return short(id);
        return from === 0 ? feedEntry(id) : feedEntry(id, { published: new Date(from).toISOString() });
      });
    const plan = this.#plan();
    const isOther = plan.channel === 'b';
    const list = (isOther ? others : this.#channel.list).map(({ videoId }) => String(videoId));
    const isGone = !isOther && this.#channel.gone;
    const expected = predict(this.#state, plan, {
      feed: isOther ? list.map((id) => ({ id, from: 0 })) : this.#noFeed || isGone ? null : this.#shown,
      ...{ list, isGone, pageSize, epoch: this.#epoch, now: this.#world.now },
    });
    await this.#perform(plan, expected);
  }

  async #perform(plan: Plan, expected: ReturnType<typeof predict>): Promise<void> {
    const { flag, isBounded, stop, channel } = plan;
    const world = this.#world;
    const isNamed = this.#below(2) === 0;
    const args = [
      ...['uploads', isNamed ? `@${channel}` : channelId(channel), ...words[flag]],
      ...['-o', name, ...(isBounded ? ['--max-credits', '1'] : [])],
    ];
    this.#story.push(`${args.join(' ')}: ${JSON.stringify({ stop, ...expected })}`);
    const dry = !isNamed && this.#below(4) === 0 ? await world.run([...args, '--dry-run']) : null;
    let left = stop?.by === 'appears' ? stop.at : 0;
    const unhook = world.service.on(({ operation }) => {
      if (operation === 'uploads' && --left === 0) world.write(name, textLines);
    });
    const result = await world.run(args, stop === null || stop.by === 'appears' ? null : stop);
    unhook();
    const log = world.service.log.slice(-6).map((request) => JSON.stringify(request));
    const shown = [...this.#story, result.stderr, ...log].join('\n');
    const { exit, credits } = expected;
    assert.deepEqual({ exit: result.exit, credits: result.credits }, { exit, credits }, shown);
    if (dry !== null && exit === 2) assert.equal(dry.exit, 2, `--dry-run: ${dry.stderr}\n${shown}`);
    assert.equal(result.stdout, '', shown);
    if (exit !== null) assert.equal(result.errors.length, exit === 0 ? 0 : 1, shown);
    this.#checkFile(this.#state.file, shown);
    const own = (ending: string): boolean => world.has(`.chanlist/${name}${ending}`);
    const { archive, run, file } = this.#state;
    if (run !== null || !own('.run')) this.#hasUselessPages = false;
    const hasPages = run !== null || this.#hasUselessPages;
    assert.deepEqual([own('.json'), own('.run')], [archive !== null, hasPages], shown);
    if (archive !== null) this.#checkRecord(archive, file, shown);
    if (exit === 0) assert.ok(!own('.tmp') && !own('.lock'), `left over:\n${shown}`);
  }

  #checkRecord({ whole, version }: NonNullable<State['archive']>, file: File | null, shown: string): void {
    const record = JSON.parse(this.#world.read(`.chanlist/${name}.json`));
    assert.equal(record.whole, whole === null ? null : new Date(whole).toISOString(), shown);
    if (file?.version === version) assert.equal(record.checksum, crc32(this.#world.read(name)), shown);
  }

  #checkFile(file: File | null, shown: string): void {
    assert.equal(this.#world.has(name), file !== null, `FILE after:\n${shown}`);
    if (file === null) return;
    const lines = this.#world.read(name).split('\n');
    const isBad = (line: string): boolean => line !== '' && !/^\{.*\}$/.test(line);
    assert.equal(lines.filter(isBad).length, file.badLines, `FILE after:\n${shown}`);
    const sound = lines.filter((line) => !isBad(line)).join('\n');
    assert.deepEqual(idsInText(sound), file.ids, `FILE after:\n${shown}`);
  }

  #plan(): Plan {
    const { run } = this.#state;
    const isBounded = this.#below(5) === 0;
    // What FILE is, if an update starts over after it appeared, is open.
    const isSound = run === null || (run.epoch === this.#epoch && !this.#channel.gone);
    const isStopped = isSound && !isBounded && this.#below(3) === 0;
    return {
      channel: this.#below(15) === 0 ? 'b' : (run?.channel ?? 'a'),
      ...{ flag: this.#oneOf(flags), isBounded },
      stop: isStopped ? { at: 1 + this.#below(4), by: this.#oneOf(stops) } : null,
    };
  }

  /** Changes the service, the time or the folder; returns what it did. */
  #change(): string | null {
    const world = this.#world;
    const channel = this.#channel;
    const { list } = channel;
    const at = this.#below(list.length);
    const count = 1 + this.#below(9);
    switch (this.#below(17)) {
      case 0:
      case 1:
      case 2:
        for (let n = 0; n < count; n++) this.#announce(0, true);
        return `${count} new uploads`;
      case 3: {
        const [gone] = list.splice(at, 1);
        const isHidden = this.#below(2) === 0;
        if (!isHidden) this.#items = this.#items.filter(({ id }) => id !== gone?.videoId);
        return `${gone?.videoId} deleted${isHidden ? ', but in the feed' : ''}`;
      }
      case 4:
        this.#noFeed = this.#noFeed === null ? this.#oneOf([404, 500, 'garbage'] as const) : null;
        return `feed: ${this.#noFeed ?? 'back'}`;
      case 5:
        world.service.expireTokens();
        return `tokens refused: epoch ${++this.#epoch}`;
      case 6:
      case 7:
        world.pass(count);
        return `${count} days`;
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
        return `${this.#announce(world.now + count * 60 * minute, true)} is a premiere`;
      case 13:
        this.#lag = count;
        return `the feed lags for ${count} runs`;
      case 14:
        channel.gone = !channel.gone && count > 4;
        return `the channel is ${channel.gone ? 'gone' : 'there'}`;
      case 15:
        if (count > 3) return null;
        return `the list is empty but for ${list.splice(0, list.length - (count - 1)) && list.length}`;
      default:
        return this.#changeFolder();
    }
  }

  /** Changes FILE, or what `.chanlist` keeps. */
  #changeFolder(): string | null {
    const world = this.#world;
    const state = this.#state;
    const { file } = state;
    const at = this.#below(9);
    if (at === 0) {
      world.remove('.chanlist');
      Object.assign(state, { hasFolder: false, archive: null, run: null });
      return '.chanlist deleted';
    }
    if (at === 1) {
      world.remove(`.chanlist/${name}.run`);
      state.run = null;
      return 'an interrupted run discarded';
    }
    if (at === 7 && state.run !== null) return this.#damagePages(state.run);
    if (file === null) return null;
    const lines = world.read(name).split('\n');
    const write = (content: string, changes: Partial<File>): void => {
      world.write(name, content);
      state.file = { ...file, ...changes, version: ++state.versions };
    };
    switch (at) {
      case 2:
        world.remove(name);
        state.file = null;
        return 'FILE deleted';
      case 3:
      case 4: {
        const isEmpty = this.#below(2) === 0;
        write(isEmpty ? '' : textLines, { ...text, badLines: isEmpty ? 0 : text.badLines });
        return isEmpty ? 'FILE is empty' : 'FILE is a text';
      }
      case 5:
        write(['{"videoId":"a_0', ...lines].join('\n'), { badLines: file.badLines + 1 });
        return 'FILE damaged';
      case 6: {
        const id = `a_fake_${state.versions}`;
        const line = `{"videoId":"${id}","channelId":"${channelId('a')}"}`;
        write([line, ...lines].join('\n'), { ids: [id, ...file.ids] });
        return 'an entry added to FILE';
      }
      default:
        if (file.badLines > 0) return null;
        write(lines.slice(Math.min(1, file.ids.length)).join('\n'), { ids: file.ids.slice(1) });
        return 'the first row removed';
    }
  }

  /** Flips a bit of the pages: what is behind it does not count. */
  #damagePages(run: NonNullable<State['run']>): string {
    const pages = `.chanlist/${name}.run`;
    const text = this.#world.read(pages);
    const at = this.#below(text.length);
    const flipped = text.charCodeAt(at) ^ (1 << this.#below(7));
    this.#world.write(pages, text.slice(0, at) + String.fromCharCode(flipped) + text.slice(at + 1));
    // The line that notes a refused token is not a page.
    const linesIn = (part: string): number => part.match(/^#(?!.*"isTokenRefused":true).*\n/gm)?.length ?? 0;
    let intact: State['run'] = run;
    for (let lost = linesIn(text) - linesIn(text.slice(0, at)); lost > 0; lost--)
      intact = intact?.before ?? null;
    this.#state.run = intact;
    this.#hasUselessPages = intact === null;
    return `bit ${at} of the pages flipped`;
  }

  /** A new ID on top of the feed, and of the list; returns it. */
  #announce(from: number | null, isListed = false): string {
    const id = videoId(this.#uploads++);
    this.#items = [{ id, from }, ...this.#items];
    if (isListed) this.#channel.list.unshift(video(id));
    return id;
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

const { CHANLIST_SEED, CHANLIST_COUNT, CHANLIST_LONG } = process.env;
const seed = Number(CHANLIST_SEED ?? Date.now() % 1_000_000_000);
const steps = Number(CHANLIST_COUNT ?? (CHANLIST_LONG === '1' ? 1500 : 400));

test(`${steps} random runs do what the contract says (CHANLIST_SEED=${seed})`, {
  timeout: 60_000 + steps * 200,
}, async (t) => {
  const world = await World.open(t, { pageSize, credits: Number.MAX_SAFE_INTEGER });
  world.service.addChannel('b', { list: others });
  const random = seeded(seed);
  for (let step = 0; step < steps; ) {
    // Sequences of twelve, each in a new folder.
    const sequence = new Sequence(world, random, [`seed ${seed}, step ${step}`]);
    world.service.log.length = 0;
    for (const end = Math.min(steps, step + 12); step < end; step++) await sequence.step();
  }
});
