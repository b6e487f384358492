/**
 * A small model of what docs/updates.md promises for one export (the table "What a run does with one export", and rules 1 to
 * 4 of updates): what is on disk, and for each run its exit code, its credits, and FILE afterwards. It knows nothing of
 * records and bytes.
 */
import type { Stop } from '../support/world.ts';

/** `fields`: ndjson with `--fields videoId,title`. */
export type Form = 'ndjson' | 'fields' | 'csv' | 'json' | 'id';
export type Flag = 'none' | 'update' | 'all' | 'restart';

/** A run of `uploads @a -o FILE`, or `--output-dir .`. */
export interface Plan {
  readonly flag: Flag;
  readonly form: Form;
  readonly limit: number | null;
  /** `uploads @b`: another channel. */
  readonly isOther: boolean;
  /** The address of the service has another name. */
  readonly service: string;
  /** With `--max-credits 1`. */
  readonly isBounded: boolean;
  readonly umask: number;
  readonly stop: PlannedStop | null;
}

/** `blocked`: from that request on a folder has the name of FILE, until the run has ended. */
export type PlannedStop = Stop | { readonly at: number; readonly by: 'blocked' };

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
  readonly isFolder: boolean;
}

export interface Prediction {
  /** Null if it is killed. */
  readonly exit: number | null;
  readonly credits: number;
  /** Refused by what is there: a dry run says so, too. */
  readonly isRefused: boolean;
}

/** The contract leaves open what such a run does. */
export class Open extends Error {}

export interface Request {
  readonly form: Form;
  readonly limit: number | null;
}

export interface Progress {
  readonly kind: 'export' | 'restart' | 'update';
  readonly isAll: boolean;
  readonly started: number;
  readonly request: Request;
  readonly service: string;
  /** FILE when it began; null: there was none. */
  readonly over: number | null;
  readonly ids: readonly string[];
  /** Of an update that was started over. */
  readonly older: readonly string[];
  readonly offset: number;
  readonly hasMore: boolean;
  readonly epoch: number;
  readonly expected: readonly string[];
  readonly isWithoutFeed: boolean;
  readonly rows: 'sound' | 'damaged' | 'missing';
  /** It failed only to replace FILE. `done`: FILE is the new one, but for the record. */
  readonly placing: 'not yet' | 'failed' | 'done';
}

export interface File {
  readonly ids: readonly string[];
  readonly form: Form;
  /** Lines that are no records. */
  readonly badLines: number;
  /** Another one with each change. */
  readonly version: number;
  readonly mode: number;
}

interface Missed {
  readonly times: number;
  readonly at: number;
}

/** What is on disk. */
export interface State {
  file: File | null;
  hasFolder: boolean;
  finished: { readonly request: Request; readonly count: number } | null;
  progress: Progress | null;
  /** The last successful check; null: unknown. */
  checked: number | null;
  /** The last page that was bought for want of a feed. */
  withoutFeed: number | null;
  missed: ReadonlyMap<string, Missed>;
  /** What was missed before FILE was exported again; whether the record still knows it is not specified. */
  stale: ReadonlySet<string>;
  versions: number;
}

export const nothing: State = {
  file: null,
  hasFolder: false,
  finished: null,
  progress: null,
  checked: null,
  withoutFeed: null,
  missed: new Map(),
  stale: new Set(),
  versions: 0,
};

/** Without `.chanlist`, FILE is one without a record. */
export const withoutRecord = ({ file, versions }: State): State => ({ ...nothing, file, versions });

export const isView = (form: Form): boolean => form !== 'ndjson' && form !== 'fields';

const day = 24 * 60 * 60 * 1000;
// Days count less two hours.
const daysSince = (now: number, then: number): number => Math.floor((now - then + 2 * 60 * 60 * 1000) / day);
const isSame = (a: Request, b: Request): boolean => a.form === b.form && a.limit === b.limit;

class Ended {
  readonly exit: number | null;
  readonly isRefused: boolean;
  constructor(exit: number | null, isRefused = false) {
    this.exit = exit;
    this.isRefused = isRefused;
  }
}

const refuse = (exit: number): never => {
  throw new Ended(exit, true);
};

/** Changes the state as a run does; throws `Open`. */
export function predict(state: State, plan: Plan, around: Surroundings): Prediction {
  const run = new ModelRun(state, plan, around);
  try {
    run.decide();
    return { exit: 0, credits: run.credits, isRefused: false };
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    return { exit: error.exit, credits: run.credits, isRefused: error.isRefused && run.requests === 0 };
  }
}

class ModelRun {
  credits = 0;
  requests = 0;
  #isBlocked = false;
  readonly #state: State;
  readonly #plan: Plan;
  readonly #around: Surroundings;
  readonly #request: Request;

  constructor(state: State, plan: Plan, around: Surroundings) {
    this.#state = state;
    this.#plan = plan;
    this.#around = around;
    this.#request = { form: plan.form, limit: plan.limit };
  }

  decide(): void {
    const state = this.#state;
    const { flag, isOther } = this.#plan;
    const isUpdate = flag === 'update' || flag === 'all';
    const { form, limit } = this.#request;
    if (isUpdate && (isView(form) || limit !== null)) refuse(2);
    if (isUpdate && !state.hasFolder && state.file === null) refuse(2);
    if (isOther) this.#other();
    state.hasFolder = true;
    const { progress } = state;
    if (progress?.rows === 'missing' && progress.kind !== 'export' && this.#isComplete())
      state.progress = null;
    this.#run();
  }

  /** Row 1. */
  #other(): void {
    const { file, finished, progress } = this.#state;
    if (progress === null) {
      const isEntries = file !== null && file.ids.length > 0 && file.form === 'ndjson';
      if (file === null || (finished === null && !isEntries)) throw new Open();
    }
    this.#state.hasFolder = true;
    refuse(2);
  }

  /** FILE is there, and as it was written, or at least as good. */
  #isComplete(): boolean {
    const { file, finished } = this.#state;
    if (file === null || finished === null) return false;
    return isView(finished.request.form) || (file.badLines === 0 && file.ids.length >= finished.count);
  }

  #run(): void {
    const { file, finished, progress } = this.#state;
    const { flag, service } = this.#plan;
    if (progress?.placing === 'done') return void this.#notePlaced(progress);
    if (file === null && finished === null && progress === null) return void this.#export();
    if (progress === null) return void this.#withFile();
    const { kind, rows, request } = progress;
    if (kind !== 'update' && progress.over === null && file !== null)
      return void (flag === 'restart' ? this.#export() : refuse(2));
    const canResume = rows === 'sound' && progress.service === service;
    if (kind === 'update' && !this.#isComplete()) {
      const isAsked = flag === 'all' && progress.isAll && isSame(request, this.#request);
      const isRepair = isAsked && canResume && file !== null;
      return void (isRepair ? this.#resume(progress) : this.#withFile());
    }
    if (rows === 'sound' && !progress.hasMore) return void this.#resume(progress);
    if (flag === 'restart') {
      const isResumed = kind === 'restart' && isSame(request, this.#request) && canResume;
      return void (isResumed ? this.#resume(progress) : this.#export());
    }
    if (!isSame(request, this.#request)) refuse(2);
    if (canResume) return void this.#resume(progress);
    if (kind === 'update') return void this.#update(flag === 'all');
    refuse(rows === 'sound' ? 2 : 1);
  }

  /** The rows of a FILE without an interrupted run. */
  #withFile(): void {
    const state = this.#state;
    const { file, finished } = state;
    const { flag, form, limit } = this.#plan;
    const isUpdate = flag === 'update' || flag === 'all';
    if (flag === 'restart') return void this.#export();
    if (finished === null) {
      if (file === null) return void this.#export();
      const isAdoptable = !isView(form) && limit === null && !isView(file.form);
      if (!isAdoptable || file.badLines > 0 || file.ids.length === 0) refuse(2);
      if (!isUpdate && !this.#around.isFolder) refuse(2);
      state.finished = { request: this.#request, count: file.ids.length };
      if (isUpdate) this.#update(flag === 'all');
      return;
    }
    if (file === null) return void (isUpdate ? refuse(1) : this.#export());
    if (!isSame(finished.request, this.#request)) refuse(2);
    if (this.#isComplete()) return void (isUpdate && this.#update(flag === 'all'));
    if (flag !== 'all') refuse(1);
    this.#update(true);
  }

  /** Finishes an interrupted run, then does what is still asked for. */
  #resume(progress: Progress): void {
    const { flag } = this.#plan;
    const { file } = this.#state;
    // FILE is another one than at the beginning.
    if (progress.kind === 'restart' && file !== null && file.version !== progress.over) refuse(1);
    const result =
      progress.kind === 'update' ? this.#fetchUpdate(progress, null) : this.#fetchExport(progress);
    if (result === 'done') return void this.#afterResumed(progress);
    if (this.#isBlocked && (progress.kind === 'update' || flag === 'restart')) throw new Ended(1);
    if (progress.kind === 'update') return void this.#update(flag === 'all');
    if (flag === 'restart') return void this.#export();
    throw new Ended(8);
  }

  #notePlaced(progress: Progress): void {
    this.#finish(progress, this.#state.file?.ids ?? [], false);
    this.#afterResumed(progress);
  }

  #afterResumed({ kind, isAll, request }: Progress): void {
    const { flag } = this.#plan;
    const isOther = !isSame(request, this.#request);
    if (flag === 'restart') {
      if (kind === 'update') return void this.#export();
      if (isOther) throw new Open();
      return;
    }
    if (isOther) return void this.#run();
    if (flag !== 'none') this.#update(flag === 'all' && kind === 'update' && !isAll);
  }

  /** Rules 1, 3 and 4; what an update that cannot be continued has bought goes below. */
  #update(isAll: boolean): void {
    const { feed, now } = this.#around;
    const state = this.#state;
    const { progress } = state;
    const older =
      progress === null
        ? []
        : progress.rows === 'sound'
          ? [...progress.ids, ...progress.older.filter((id) => !progress.ids.includes(id))]
          : [];
    const start = (expected: readonly string[]): void => {
      const fresh = { ...this.#fresh('update'), isAll, expected, older, isWithoutFeed: feed === null };
      this.#fetchUpdate({ ...fresh, request: state.finished?.request ?? this.#request }, feed);
    };
    if (feed === null) {
      // An empty feed is none only if FILE has entries.
      if (state.file?.ids.length === 0) throw new Open();
      if (isAll) return void start([]);
      if (state.withoutFeed !== null) {
        if (daysSince(now, state.withoutFeed) >= 7) start([]);
        return;
      }
      if (state.checked === null) throw new Open();
      if (daysSince(now, state.checked) < 7) throw new Ended(7);
      return void start([]);
    }
    const known = new Set(state.file?.ids);
    const published = feed.filter(({ from }) => from === null || from <= now);
    const lacking = published.filter(({ id }) => !known.has(id));
    const expected = lacking.flatMap(({ id, from }) => {
      if (from === null) return [];
      if (state.stale.has(id)) throw new Open();
      const missed = state.missed.get(id);
      return missed === undefined || (missed.times === 1 && daysSince(now, missed.at) >= 1) ? [id] : [];
    });
    if (isAll || expected.length > 0) return void start(expected);
    // One of them may have been in the feed at the last check.
    if (lacking.length === published.length) throw new Open();
    const unpaid: Progress = { ...this.#fresh('update'), older, hasMore: false };
    if (older.length > 0) this.#place(unpaid, [...older.filter((id) => !known.has(id)), ...known]);
    this.#finish(
      { ...unpaid, request: state.finished?.request ?? this.#request },
      state.file?.ids ?? [],
      true,
    );
  }

  /** Rule 2. `feed`: of an update that starts now. */
  #fetchUpdate(before: Progress, feed: Surroundings['feed']): 'done' | 'refused' {
    const state = this.#state;
    const base = state.file?.ids ?? [];
    const known = new Set(base);
    let progress = before;
    while (progress.hasMore) {
      const page = this.#buy(progress);
      if (page === 'refused') return 'refused';
      const { ids } = progress;
      const added = page.ids.filter((id) => !known.has(id) && !ids.includes(id));
      const isEnd = !progress.isAll && known.has(page.ids.at(-1) ?? '');
      progress = this.#commit(progress, page, [...ids, ...added], page.hasMore && !isEnd);
    }
    const isOnTop = (id: string): boolean => !known.has(id);
    const added = [...new Set([...progress.ids, ...progress.older])].filter(isOnTop);
    const isNothing = progress.ids.length === 0 && progress.older.length === 0;
    const all = [...added, ...base];
    if (isNothing && this.#isBlocked) throw new Open();
    if (!isNothing || !this.#isComplete()) this.#place(progress, all);
    this.#finish(progress, all, feed !== null);
    return 'done';
  }

  #export(): void {
    const { file } = this.#state;
    const isRestart = this.#plan.flag === 'restart' || file !== null;
    this.#fetchExport({
      ...this.#fresh(isRestart ? 'restart' : 'export'),
      over: file === null ? null : file.version,
    });
  }

  #fetchExport(before: Progress): 'done' | 'refused' {
    let progress = before;
    const { limit } = before.request;
    while (progress.hasMore) {
      const page = this.#buy(progress);
      if (page === 'refused') return 'refused';
      const { ids } = progress;
      const all = [...ids, ...page.ids.filter((id) => !ids.includes(id))].slice(0, limit ?? undefined);
      progress = this.#commit(progress, page, all, page.hasMore && all.length !== limit);
    }
    this.#place(progress, progress.ids);
    this.#finish(progress, progress.ids, false);
    return 'done';
  }

  #commit(progress: Progress, page: Page, ids: readonly string[], hasMore: boolean): Progress {
    const next = { ...progress, ids, hasMore, offset: page.end, epoch: this.#around.epoch };
    this.#state.progress = next;
    return next;
  }

  /** FILE is replaced, and keeps its mode. */
  #place(progress: Progress, ids: readonly string[]): void {
    const state = this.#state;
    if (this.#isBlocked) {
      state.progress = { ...progress, placing: 'failed' };
      throw new Ended(1);
    }
    const { form } = progress.request;
    const mode = state.file?.mode ?? 0o666 & ~this.#plan.umask;
    state.file = { ids, form, badLines: 0, version: ++state.versions, mode };
  }

  /** Notes a check, by the feed that was requested, or as of the first page. */
  #finish(progress: Progress, ids: readonly string[], isByFeed: boolean): void {
    const state = this.#state;
    const { now } = this.#around;
    const { kind, expected, started, request, isWithoutFeed } = progress;
    state.finished = { request, count: ids.length };
    state.progress = null;
    state.checked = isByFeed ? now : started;
    state.withoutFeed = kind === 'update' && isWithoutFeed ? started : null;
    if (kind !== 'update') {
      state.stale = new Set([...state.stale, ...state.missed.keys()]);
      state.missed = new Map();
    }
    const missed = expected.filter((id) => !ids.includes(id));
    // The pages that lack them are as old as the first one.
    const at = isByFeed ? now : started;
    const again = (id: string): Missed => ({ times: (state.missed.get(id)?.times ?? 0) + 1, at });
    state.missed = new Map([...state.missed, ...missed.map((id) => [id, again(id)] as const)]);
  }

  #fresh(kind: Progress['kind']): Progress {
    const { now: started, epoch } = this.#around;
    const { service } = this.#plan;
    return {
      ...{
        kind,
        started,
        service,
        epoch,
        request: this.#request,
        isAll: false,
        over: null,
        ids: [],
        older: [],
      },
      ...{ offset: 0, hasMore: true, expected: [], isWithoutFeed: false, rows: 'sound', placing: 'not yet' },
    };
  }

  /** Asks for the next page, and pays for it if there is one. */
  #buy({ offset, epoch }: Progress): Page | 'refused' {
    const { list, pageSize, epoch: now } = this.#around;
    const { stop, isBounded } = this.#plan;
    const isRefused = offset > 0 && epoch !== now;
    if (isBounded && this.credits === 1) throw new Ended(9);
    this.requests++;
    if (stop !== null && this.requests === stop.at) {
      if (stop.by === 'blocked') this.#isBlocked = true;
      else {
        if (stop.by === 'kill-charged' && !isRefused) this.credits++;
        throw new Ended(stop.by === 402 ? 4 : stop.by === 500 ? 7 : null);
      }
    }
    if (isRefused) return 'refused';
    this.credits++;
    const end = offset + pageSize;
    return { ids: list.slice(offset, end), end, hasMore: end < list.length };
  }
}

interface Page {
  readonly ids: readonly string[];
  readonly end: number;
  readonly hasMore: boolean;
}
