/**
 * A small model of what docs/updates.md promises for one export (the table "What a run does with one export", and rules 1 to
 * 4 of updates): what is on disk, and for each run its exit code, its credits and the IDs in FILE afterwards. It knows
 * nothing of records and bytes.
 */
import type { Stop } from '../support/world.ts';

export type Format = 'ndjson' | 'csv' | 'id';
export type Flag = 'none' | 'update' | 'all' | 'restart';

/** A run of `uploads @a -o FILE`. */
export interface Plan {
  readonly flag: Flag;
  readonly format: Format;
  readonly limit: number | null;
  /** With `--max-credits 1`. */
  readonly isBounded: boolean;
  readonly stop: Stop | null;
}

/** An entry of the feed. */
export interface FeedItem {
  readonly id: string;
  /** Rule 1 expects it from this time on; null: never (a Short). */
  readonly from: number | null;
}

/** The service at the time of a run. */
export interface Surroundings {
  readonly list: readonly string[];
  /** Null: there is none. */
  readonly feed: readonly FeedItem[] | null;
  readonly pageSize: number;
  /** Tokens that were issued in an earlier epoch are refused. */
  readonly epoch: number;
  /** Milliseconds. */
  readonly now: number;
}

export interface Prediction {
  /** Null if it is killed. */
  readonly exit: number | null;
  readonly credits: number;
}

/** The contract leaves open what such a run does. */
export class Open extends Error {}

interface Request {
  readonly format: Format;
  readonly limit: number | null;
}
interface Progress {
  readonly kind: 'export' | 'restart' | 'update' | 'all';
  readonly started: number;
  readonly request: Request;
  readonly ids: readonly string[];
  readonly offset: number;
  readonly epoch: number;
  readonly expected: readonly string[];
}
interface Finished {
  readonly request: Request;
  readonly count: number;
  /** `--limit` cut it. */
  readonly isCut: boolean;
}
interface Missed {
  readonly times: number;
  readonly at: number;
}

/** What is on disk. */
export interface State {
  file: { readonly ids: readonly string[]; readonly format: Format } | null;
  hasFolder: boolean;
  finished: Finished | null;
  progress: Progress | null;
  /** The last successful check; null: unknown. */
  checked: number | null;
  /** It was a page, for want of a feed. */
  isCheckedByPage: boolean;
  missed: ReadonlyMap<string, Missed>;
  /** What was missed before FILE was exported again; whether the record still knows it is not specified. */
  stale: ReadonlySet<string>;
  /** An update of a FILE without a record has failed: whether it is adopted is open. */
  isAdopting: boolean;
}

export const nothing: State = {
  file: null,
  hasFolder: false,
  finished: null,
  progress: null,
  checked: null,
  isCheckedByPage: false,
  missed: new Map(),
  stale: new Set(),
  isAdopting: false,
};

/** Without `.chanlist`, FILE is one without a record. */
export const withoutRecord = ({ file }: State): State => ({ ...nothing, file });

const day = 24 * 60 * 60 * 1000;
// Days count less two hours.
const daysSince = (now: number, then: number): number => Math.floor((now - then + 2 * 60 * 60 * 1000) / day);
const isSame = (a: Request, b: Request): boolean => a.format === b.format && a.limit === b.limit;

class Ended {
  readonly exit: number | null;
  constructor(exit: number | null) {
    this.exit = exit;
  }
}

/** Changes the state as a run does; throws `Open`. */
export function predict(state: State, plan: Plan, around: Surroundings): Prediction {
  const run = new ModelRun(state, plan, around);
  try {
    run.decide();
    return { exit: 0, credits: run.credits };
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    return { exit: error.exit, credits: run.credits };
  }
}

class ModelRun {
  credits = 0;
  #requests = 0;
  readonly #state: State;
  readonly #plan: Plan;
  readonly #around: Surroundings;
  readonly #request: Request;

  constructor(state: State, plan: Plan, around: Surroundings) {
    this.#state = state;
    this.#plan = plan;
    this.#around = around;
    this.#request = { format: plan.format, limit: plan.limit };
  }

  decide(): void {
    const { file, finished, progress } = this.#state;
    if (this.#plan.flag === 'restart') return void this.#restart();
    if (this.#plan.flag !== 'none' && this.#plan.limit !== null) throw new Ended(2);
    if (this.#state.isAdopting && this.#plan.flag === 'none') throw new Open();
    if (finished === null) return void this.#withoutFinished();
    if (file === null) return void this.#gone();
    if (file.ids.length < finished.count) return void this.#lost();
    if (finished.isCut) return void this.#cut(finished);
    const isUpdate = progress?.kind === 'update' || progress?.kind === 'all';
    const { limit } = this.#plan;
    const differs = file.format !== this.#plan.format || (limit !== null && limit < finished.count);
    if (progress !== null && !isUpdate) {
      if (!isSame(progress.request, this.#request) || differs) throw new Open();
      if (this.#plan.flag !== 'none') this.#resumeThenUpdate(progress);
      return;
    }
    if (differs) throw new Ended(2);
    if (this.#plan.flag === 'none') {
      if (progress !== null && limit !== null) throw new Open();
      return;
    }
    if (progress === null) this.#update();
    else if (progress.kind === this.#plan.flag) this.#resumeThenUpdate(progress);
    else throw new Open();
  }

  #restart(): void {
    const { progress, file, finished } = this.#state;
    const isResumed = progress?.kind === 'restart' && isSame(progress.request, this.#request);
    if (isResumed && finished !== null && (file?.ids.length ?? 0) < finished.count) throw new Open();
    this.#export('restart', isResumed ? progress : null);
  }

  /** No export of FILE is known to be finished. */
  #withoutFinished(): void {
    const { file, progress, hasFolder } = this.#state;
    const { flag, format } = this.#plan;
    if (file !== null && progress !== null) {
      if (flag === 'none' || progress.kind !== flag || file.format !== format) throw new Open();
      return void this.#resumeThenUpdate(progress);
    }
    if (file !== null) {
      // To resolve the reference is a request; before the first one the folder is created.
      this.#state.hasFolder = true;
      if (flag === 'none') throw new Ended(2);
      if (file.format !== format || flag === 'all') throw new Open();
      this.#state.isAdopting = true;
      this.#update();
      this.#state.isAdopting = false;
      return;
    }
    if (progress !== null) {
      if (!isSame(progress.request, this.#request)) throw new Ended(2);
      if (progress.kind === 'update' || progress.kind === 'all') {
        // An interrupted update of a FILE that is gone.
        if (flag !== 'none') throw new Ended(1);
        return void this.#export('export', null);
      }
      if (flag === 'none') this.#export(progress.kind, progress);
      else this.#resumeThenUpdate(progress);
      return;
    }
    if (flag !== 'none' && !hasFolder) throw new Ended(2);
    this.#export('export', null);
  }

  #gone(): void {
    const { progress } = this.#state;
    const isExport = progress?.kind === 'export' || progress?.kind === 'restart';
    const isOther = progress !== null && !isSame(progress.request, this.#request);
    if (isExport || isOther) throw new Open();
    if (this.#plan.flag !== 'none') throw new Ended(1);
    this.#export('export', null);
  }

  #lost(): void {
    const { finished, progress, file } = this.#state;
    if (progress !== null || finished?.isCut || file?.format !== this.#plan.format) throw new Open();
    if (this.#plan.limit !== null) throw new Open();
    if (this.#plan.flag !== 'all') throw new Ended(1);
    this.#update();
  }

  #cut(finished: Finished): void {
    const { progress } = this.#state;
    const { flag, format } = this.#plan;
    if (progress !== null) {
      if (!isSame(progress.request, this.#request)) {
        if (isSame(finished.request, this.#request)) throw new Open();
        throw new Ended(2);
      }
      if (flag === 'none') this.#export(progress.kind, progress);
      else this.#resumeThenUpdate(progress);
      return;
    }
    if (flag === 'none' && isSame(finished.request, this.#request)) return;
    if (finished.request.format !== format) throw new Open();
    this.#export('export', null);
  }

  #resumeThenUpdate(progress: Progress): void {
    if (progress.kind === 'export' || progress.kind === 'restart') {
      if (this.#plan.flag === 'all' || this.#around.feed === null) throw new Open();
      this.#export(progress.kind, progress);
      return void this.#update();
    }
    this.#buyUpdate(progress.kind, progress.expected, progress);
    const known = new Set(this.#state.file?.ids);
    if (progress.expected.some((id) => !known.has(id)) || this.#around.feed === null) throw new Open();
    this.#update(true);
  }

  #update(isResumed = false): void {
    const { feed, now } = this.#around;
    const state = this.#state;
    const isAll = this.#plan.flag === 'all' && !isResumed;
    const known = new Set(state.file?.ids);
    if (feed === null) {
      if (state.checked === null || isResumed || isAll) throw new Open();
      const isDue = daysSince(now, state.checked) >= 7;
      if (!isDue && state.isCheckedByPage) return;
      if (!isDue) throw new Ended(7);
      this.#buyUpdate('update', [], null);
      state.isCheckedByPage = true;
      return;
    }
    const published = feed.filter(({ from }) => from === null || from <= now);
    const lacking = published.filter(({ id }) => !known.has(id));
    const expected = lacking.flatMap(({ id, from }) => {
      if (from === null) return [];
      if (state.stale.has(id)) throw new Open();
      const missed = state.missed.get(id);
      return missed === undefined || (missed.times === 1 && daysSince(now, missed.at) >= 1) ? [id] : [];
    });
    if (isAll) return void this.#buyUpdate('all', expected, null);
    if (expected.length > 0) this.#buyUpdate('update', expected, null);
    else if (lacking.length === published.length) throw new Open();
    this.#finishCheck(state.file?.ids ?? []);
  }

  /** An update whose token is refused is a new one. */
  #startOver(): void {
    if (this.#around.feed === null) throw new Open();
    this.#update();
    this.#state.progress = null;
  }

  #finishCheck(ids: readonly string[]): void {
    const state = this.#state;
    const { format } = this.#plan;
    state.finished = { request: { format, limit: null }, count: ids.length, isCut: false };
    state.checked = this.#around.now;
    state.isCheckedByPage = false;
    state.hasFolder = true;
  }

  /** Rule 2. */
  #buyUpdate(kind: 'update' | 'all', expected: readonly string[], resumed: Progress | null): void {
    const state = this.#state;
    const base = state.file?.ids ?? [];
    const known = new Set(base);
    const { format } = this.#plan;
    const fresh: Progress = { ...this.#fresh(kind, { format, limit: null }), expected };
    let progress = resumed ?? fresh;
    for (;;) {
      const page = this.#buy(progress);
      if (page === 'refused') {
        if (kind === 'update') return void this.#startOver();
        progress = fresh;
        continue;
      }
      const added = page.ids.filter((id) => !known.has(id) && !progress.ids.includes(id));
      progress = {
        ...progress,
        ids: [...progress.ids, ...added],
        offset: page.end,
        epoch: this.#around.epoch,
      };
      const last = page.ids.at(-1);
      const isDone = kind === 'update' && last !== undefined && known.has(last);
      if (isDone || !page.hasMore) break;
      state.progress = progress;
    }
    const ids = [...progress.ids, ...base];
    state.file = { ids, format };
    state.progress = null;
    const missed = expected.filter((id) => !ids.includes(id));
    const count = (id: string): Missed => ({
      times: (state.missed.get(id)?.times ?? 0) + 1,
      at: this.#around.now,
    });
    state.missed = new Map([...state.missed, ...missed.map((id) => [id, count(id)] as const)]);
    this.#finishCheck(ids);
  }

  #export(kind: Progress['kind'], resumed: Progress | null): void {
    const state = this.#state;
    const { limit, format } = this.#request;
    const fresh = this.#fresh(kind, this.#request);
    let progress = resumed ?? fresh;
    let isCut = false;
    for (;;) {
      const page = this.#buy(progress);
      if (page === 'refused') {
        if (this.#plan.flag !== 'restart') throw new Ended(8);
        progress = fresh;
        continue;
      }
      const added = page.ids.filter((id) => !progress.ids.includes(id));
      const all = [...progress.ids, ...added];
      const ids = limit === null ? all : all.slice(0, limit);
      progress = { ...progress, ids, offset: page.end, epoch: this.#around.epoch };
      isCut = ids.length < all.length || (page.hasMore && ids.length === limit);
      if (isCut || !page.hasMore) break;
      state.progress = progress;
    }
    const { ids } = progress;
    state.file = { ids, format };
    state.stale = new Set([...state.stale, ...state.missed.keys()]);
    state.missed = new Map();
    state.progress = null;
    this.#finishCheck(ids);
    // What the list was like then; its feed was not requested.
    state.checked = progress.started;
    state.finished = { request: this.#request, count: ids.length, isCut };
  }

  #fresh(kind: Progress['kind'], request: Request): Progress {
    const { now: started, epoch } = this.#around;
    return { kind, started, request, ids: [], offset: 0, epoch, expected: [] };
  }

  /** Asks for the next page, and pays for it if there is one. */
  #buy({ offset, epoch }: Progress) {
    const { list, pageSize, epoch: now } = this.#around;
    const { stop, isBounded } = this.#plan;
    const isRefused = offset > 0 && epoch !== now;
    this.#state.hasFolder = true;
    if (isBounded && this.credits === 1) throw new Ended(9);
    if (stop !== null && ++this.#requests === stop.at) {
      if (stop.by === 'kill-charged' && !isRefused) this.credits++;
      throw new Ended(stop.by === 402 ? 4 : stop.by === 500 ? 7 : null);
    }
    if (isRefused) return 'refused' as const;
    this.credits++;
    const end = offset + pageSize;
    return { ids: list.slice(offset, end), end, hasMore: end < list.length };
  }
}
