/**
 * A small model of what docs/updates.md promises for one export: its table, and rules 1 to 4 of updates. For each run it
 * predicts exit code and credits, and FILE afterwards. It knows nothing of records and bytes.
 */
import type { Stop } from '../support/world.ts';

/** A run of `uploads CHANNEL -o FILE`, FILE being an archive. */
export interface Plan {
  /** `a` or `b`: the IDs of its entries begin with it. */
  readonly channel: string;
  readonly flag: 'none' | 'update' | 'all' | 'restart';
  readonly isBounded: boolean;
  /** `appears`: at that request somebody else writes FILE, `text`. */
  readonly stop: Stop | { readonly at: number; readonly by: 'appears' } | null;
}

/** The service at the time of a run. */
export interface Surroundings {
  readonly list: readonly string[];
  /** `from`: rule 1 expects it from then on; null: never (a Short). The feed is null if it is missing. */
  readonly feed: readonly { readonly id: string; readonly from: number | null }[] | null;
  readonly isGone: boolean;
  readonly pageSize: number;
  /** Tokens that were issued in an earlier epoch are refused. */
  readonly epoch: number;
  readonly now: number;
}

export interface File {
  readonly ids: readonly string[];
  /** Lines that are not entries. */
  readonly badLines: number;
  readonly version: number;
}

interface Checks {
  readonly checked: number;
  readonly feed: readonly string[];
  readonly missed: ReadonlyMap<string, { readonly times: number; readonly at: number }>;
  /** The last page that was bought for want of a feed. */
  readonly withoutFeed: number | null;
}

interface Archive extends Checks {
  readonly channel: string;
  readonly version: number;
  readonly count: number;
  /** The last run found that the channel is gone. */
  readonly isGone: boolean;
  /** When the last reading of its whole list began; null: never. */
  readonly whole: number | null;
}

interface Interrupted {
  readonly channel: string;
  readonly started: number;
  /** There was a FILE when it began. */
  readonly replaces: boolean;
  readonly update: {
    readonly all: boolean;
    /** What FILE held when it began; `count`: the number of its entries. */
    readonly content: number;
    readonly count: number;
    readonly expected: readonly string[];
    readonly isWithoutFeed: boolean;
  } | null;
  readonly ids: readonly string[];
  /** IDs of pages that were bought before the list had to be read again. */
  readonly aside: readonly string[];
  readonly offset: number;
  readonly hasMore: boolean;
  /** One of its pages has an entry of FILE. */
  readonly meetsFile: boolean;
  readonly epoch: number;
  /** Before its last page; null: it had none. */
  readonly before: Interrupted | null;
}

/** What is on disk; `hasFolder`: there is a `.chanlist`. */
export interface State {
  file: File | null;
  hasFolder: boolean;
  archive: Archive | null;
  run: Interrupted | null;
  versions: number;
}

export const text = { ids: [], badLines: 2 } as const;

/** Identifies the content of a file: each version has its own, but the text is always the same. */
const contentOf = ({ ids, badLines, version }: File): number =>
  ids.length === 0 && badLines === text.badLines ? 0 : version;

const hour = 60 * 60 * 1000;
// Days count less two hours.
const haveDaysPassed = (days: number, then: number, now: number): boolean =>
  now - then >= (days * 24 - 2) * hour;

const isEmpty = (file: File | null): boolean => file === null || file.ids.length + file.badLines === 0;

class Ended extends Error {
  readonly exit: number | null;
  constructor(exit: number | null) {
    super();
    this.exit = exit;
  }
}

/** Changes the state as a run does. Returns its exit code (null: it is killed) and the credits that it pays. */
export function predict(state: State, plan: Plan, around: Surroundings) {
  const { flag, channel, stop, isBounded } = plan;
  const { list, isGone, pageSize, epoch, now } = around;
  let [credits, requests] = [0, 0];

  function decide(): void {
    const isUpdate = flag === 'update' || flag === 'all';
    if (isUpdate && !state.hasFolder && isEmpty(state.file)) throw new Ended(2);
    state.hasFolder = true;
    // Every page was bought, of an export too.
    const isResumed = runJob(flag === 'all');
    if (isResumed && isUpdate) runJob(false);
  }

  /** The table; returns whether it has resumed a run. */
  function runJob(all: boolean): boolean {
    const { file, archive, run } = state;
    const isNone = file === null || (isEmpty(file) && archive?.version !== file.version);
    const isDiscarded = run?.update != null && isNone;
    if (flag === 'restart') fetchExport(begun(null, !isNone));
    else if (run !== null && !isDiscarded) {
      if (run.channel !== channel) throw new Ended(2);
      if (run.update === null || file === null) fetchExport(run);
      else fetchUpdate(file, run, null, all);
      return true;
    } else if (isNone) fetchExport(begun(null, false));
    else if (archive?.channel === channel) {
      if (flag !== 'none') update(file, all);
    } else if (flag === 'none' || (archive !== null && archive.channel !== channel)) throw new Ended(2);
    else update(file, all);
    return false;
  }

  function fetchExport(before: Interrupted): void {
    const { file } = state;
    if (!before.replaces && !isEmpty(file)) throw new Ended(1);
    let run = before;
    let lastPage: readonly string[] = [];
    while (run.hasMore) {
      const page = buy(run);
      if (page === null) throw new Ended(8);
      const fresh = page.ids.filter((id) => !lastPage.includes(id) && !before.ids.includes(id));
      if (page.ids.length > 0) lastPage = page.ids;
      run = keep(run, page, [...run.ids, ...fresh]);
    }
    if (run.ids.length === 0 && !isEmpty(file)) {
      state.run = null;
      throw new Ended(8);
    }
    const checks = { checked: run.started, feed: [], missed: new Map(), withoutFeed: null };
    end(file, run.ids, checks, run.started);
  }

  /** Rules 1, 3 and 4. */
  function update(file: File, all: boolean): void {
    const { archive } = state;
    const { ids } = read(file, all);
    const feed = around.feed?.length === 0 && ids.length > 0 ? null : around.feed;
    const fetch = (expected: readonly string[]): void => {
      // A feed that is back is noted, whatever becomes of the pages.
      if (archive !== null && feed !== null) state.archive = { ...archive, withoutFeed: null, isGone: false };
      fetchUpdate(
        file,
        begun(
          { all, content: contentOf(file), count: ids.length, expected, isWithoutFeed: feed === null },
          true,
        ),
        feed,
        all,
      );
    };
    if (feed === null) {
      const last = archive?.withoutFeed ?? archive?.checked ?? 0;
      if (all || archive?.isGone || haveDaysPassed(7, last, now)) fetch([]);
      else if (archive?.withoutFeed === null) throw new Ended(7);
      return;
    }
    const published = feed.filter(({ from }) => from === null || from <= now);
    const expected = published.flatMap(({ id, from }) => {
      if (from === null || ids.includes(id)) return [];
      const missed = archive?.missed.get(id);
      return missed === undefined || (missed.times === 1 && haveDaysPassed(1, missed.at, now)) ? [id] : [];
    });
    const isConnected = published.some(({ id }) => ids.includes(id) || archive?.feed.includes(id));
    if (all || expected.length > 0 || (published.length > 0 && !isConnected)) fetch(expected);
    else record(file.version, ids, checksAfter(feed, null, ids, now), archive?.whole ?? null);
  }

  /** Rule 2. `feed`: of an update that begins in this run. */
  function fetchUpdate(file: File, before: Interrupted, feed: Surroundings['feed'], isAll: boolean): void {
    const { ids: old, isIntact } = read(file, isAll);
    const { update } = before;
    if (update === null) throw new Error('not an update');
    const isWhole = update.all && update.content === contentOf(file);
    const all = update.all || isAll;
    let run = before;
    // Pages lack what FILE had then: if it has lost entries since, the list is read again.
    const hasLost = old.length < update.count;
    const isAnew = isAll || update.all ? !isWhole : update.content !== contentOf(file) && hasLost;
    // --all starts over unless it has bought every page for this FILE so far.
    if (!isAnew && run.ids.some((id) => old.includes(id))) run = setAside(run);
    else if (isAnew) {
      const began = { ...update, all, content: contentOf(file), count: old.length };
      run = { ...setAside({ ...before, started: now, hasMore: true, update: began }), before };
    }
    let pages = 0;
    while (run.hasMore) {
      const page = buy(run);
      if (page === null) {
        run = setAside({ ...run, started: now });
        pages = 0;
        continue;
      }
      pages++;
      const meetsFile = run.meetsFile || page.ids.some((id) => old.includes(id));
      const ids = [...run.ids, ...page.ids.filter((id) => !old.includes(id) && !run.ids.includes(id))];
      const isEnd = !all && old.includes(page.ids.at(-1) ?? '');
      run = keep(run, isEnd ? { ...page, hasMore: false } : page, ids, meetsFile);
    }
    const fresh = [...new Set([...run.ids, ...run.aside])].filter((id) => !old.includes(id));
    const ids = [...fresh, ...old];
    // The list may have been cut short.
    const sharesNothing = pages > 0 && !run.meetsFile && old.length > 0;
    const { update: by } = run;
    const counted = by && sharesNothing ? { ...by, expected: [] } : by;
    const checks = checksAfter(feed, counted, ids, feed === null ? run.started : now);
    const whole = all ? run.started : sharesNothing ? null : (state.archive?.whole ?? null);
    if (fresh.length > 0 || !isIntact) end(file, ids, checks, whole);
    else if (state.file !== file) throw new Ended(1);
    else record(file.version, ids, checks, whole);
  }

  /** The list is read again; what its pages held is added if it is then missing. It is noted with the next page. */
  function setAside(run: Interrupted): Interrupted {
    const offset = run.hasMore ? 0 : run.offset;
    return {
      ...run,
      ids: [],
      aside: [...run.aside, ...run.ids],
      offset,
      meetsFile: false,
      epoch,
      before: run,
    };
  }

  /** The entries of FILE. A line that is not an entry, or fewer entries than recorded, end the run, unless it repairs them. */
  function read({ ids, badLines }: File, isRepair: boolean) {
    const own = ids.filter((id) => id.startsWith(channel));
    const isIntact = badLines === 0 && own.length === ids.length;
    const isSound = isIntact && own.length >= (state.archive?.count ?? 0);
    if (!isSound && !(isRepair && state.archive !== null)) throw new Ended(1);
    return { ids: own, isIntact };
  }

  function checksAfter(
    feed: Surroundings['feed'],
    by: Interrupted['update'],
    ids: readonly string[],
    checked: number,
  ): Checks {
    const missed = new Map([...(state.archive?.missed ?? [])].filter(([id]) => !ids.includes(id)));
    for (const id of by?.expected ?? [])
      if (!ids.includes(id)) missed.set(id, { times: (missed.get(id)?.times ?? 0) + 1, at: checked });
    const withoutFeed = by?.isWithoutFeed ? checked : null;
    return { checked, feed: (feed ?? []).map(({ id }) => id), missed, withoutFeed };
  }

  function end(before: File | null, ids: readonly string[], checks: Checks, whole: number | null): void {
    if (state.file !== before) throw new Ended(1);
    state.file = newFile({ ids, badLines: 0 });
    record(state.file.version, ids, checks, whole);
  }

  const newFile = (content: Omit<File, 'version'>): File => ({ ...content, version: ++state.versions });

  function record(
    version: number,
    { length: count }: readonly string[],
    checks: Checks,
    whole: number | null,
  ): void {
    state.archive = { ...checks, version, count, channel, isGone: false, whole };
    state.run = null;
  }

  function begun(by: Interrupted['update'], replaces: boolean): Interrupted {
    const start = { offset: 0, hasMore: true, meetsFile: false, ids: [], aside: [], before: null };
    return { ...start, channel, started: now, epoch, update: by, replaces };
  }

  function keep(
    run: Interrupted,
    page: NonNullable<ReturnType<typeof buy>>,
    ids: readonly string[],
    meetsFile = false,
  ) {
    const before = run === state.run || run.before !== null ? run : null;
    state.run = { ...run, ids, offset: page.end, hasMore: page.hasMore, meetsFile, epoch, before };
    return state.run;
  }

  /** Asks for the next page, and pays for it; null: its token is refused. */
  function buy({ offset, epoch: issued }: Interrupted) {
    const isRefused = offset > 0 && (issued !== epoch || isGone);
    if (isBounded && credits === 1) throw new Ended(9);
    requests++;
    if (requests === stop?.at) {
      if (stop.by === 'appears') state.file = newFile(text);
      else {
        if (stop.by === 'kill-charged' && !isRefused && !isGone) credits++;
        throw new Ended(stop.by === 402 ? 4 : stop.by === 500 ? 7 : null);
      }
    }
    if (isRefused) return null;
    if (isGone) throw new Ended(5);
    credits++;
    const end = offset + pageSize;
    return { ids: list.slice(offset, end), end, hasMore: end < list.length };
  }

  const hadFolder = state.hasFolder;
  /** A run that leaves nothing in its `.chanlist` removes it, unless it is killed. */
  const removeFolder = (): void => {
    if (!hadFolder && state.archive === null && state.run === null) state.hasFolder = false;
  };
  try {
    decide();
    removeFolder();
    return { exit: 0, credits };
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    const { exit } = error;
    if (exit !== null) removeFolder();
    // Whether the channel is gone is noted.
    if (state.archive?.channel === channel && [5, 7, 8].includes(exit ?? 0))
      state.archive = { ...state.archive, isGone: exit === 5 };
    return { exit, credits };
  }
}
