import { Failure, usage } from '../errors.ts';
import type { Format, Rest } from '../output/format.ts';
import { type Selection, videoIdOf } from '../run/listing.ts';
import { spent } from '../service/budget.ts';
import type { Page } from '../service/pages.ts';
import { count } from '../text/count.ts';
import { ExistingExport } from './existing-export.ts';
import type { Feed } from './feed.ts';
import { noteFinished, warnOfCleanup } from './full.ts';
import {
  creditsSoFar,
  type ExportJob,
  endConditions,
  fieldsText,
  fileFormat,
  foreignFile,
  identityFor,
  itemOf,
  remember,
  warnOnce,
} from './job.ts';
import { expectedIds, lookAtFeed, noteFeedLook, noteSought, seenIds, whyPageWithoutFeed } from './look.ts';
import { PartialFile } from './partial-file.ts';
import type { FileIds } from './read/read-file.ts';
import type { Progress } from './state.ts';
import { writePages } from './write-pages.ts';

/**
 * Brings a complete FILE up to date (`--update`): asks the free `latest` first, and buys pages only if it has entries
 * that FILE lacks and the list can hold (rules 1 to 4 of the contract). FILE is replaced atomically, with the new
 * entries on top.
 */
export async function updateFile(job: ExportJob): Promise<void> {
  const { run, receipt } = job;
  const { session, task } = run;
  const now = session.context.clock.now();
  const existing = new ExistingExport(job);
  // Problems with FILE are found before anything is sent.
  const remembered = await checkExisting(job, existing);
  const interrupted = await PartialFile.peek(job.target);
  if (interrupted !== null && interrupted.progress.result !== null && (await finishInterrupted(job)))
    return await updateFile(job);
  const look = await lookAtFeed(job, existing, remembered);
  receipt.file = job.target.path;
  if (look.feed === null && !task.options.all && interrupted === null) {
    const why = await whyPageWithoutFeed(job, look.problem, now);
    if (why === null) {
      receipt.status = 'unchecked';
      receipt.entries = job.memory?.entries ?? (await existing.ids()).entries;
      receipt.added = 0;
      return;
    }
    receipt.why = why;
  } else if (look.feed !== null) {
    run.feeds.missingInRow = 0;
    remember(job, () => ({ feed: null }));
  }
  const expected = look.feed === null ? [] : await expectedIds(job, existing, look.feed, remembered, now);
  if (expected.length === 0 && receipt.why === null && !task.options.all && interrupted === null) {
    receipt.status = 'unchanged';
    receipt.entries = remembered ? (job.memory?.entries ?? 0) : (await existing.ids()).entries;
    receipt.added ??= 0;
    await noteLook(job, look.feed, existing, remembered, now);
    return;
  }
  const found = await buyPages(job, existing, look.feed, remembered);
  noteSought(job, expected, found, now);
  const missing = expected.filter((id) => !found.has(id));
  if (receipt.why === null && expected.length > 0 && missing.length === expected.length)
    receipt.why = `the feed has ${count(missing.length, 'video', 'videos')} that the list does not hold: ${missing.slice(0, 3).join(', ')}`;
  if (look.feed !== null) remember(job, () => ({ seen: seenIds(look.feed, found, job.memory, expected) }));
  else noteFeedLook(job, now);
}

/**
 * Checks that FILE is of this channel, and was exported with the same fields and format. Returns whether it is the
 * file that the memory describes; otherwise all of it is read.
 */
async function checkExisting(job: ExportJob, existing: ExistingExport): Promise<boolean> {
  const { memory, run, target } = job;
  if (memory !== null && (await existing.isRemembered(memory))) {
    const fields = fieldsText(run.fields);
    if (memory.format !== run.format)
      throw differs(target.path, `exported as ${memory.format}`, `not as ${run.format}`);
    if (memory.fields !== fields)
      throw differs(
        target.path,
        memory.fields === null ? 'exported without --fields' : `exported with --fields ${memory.fields}`,
        fields === null ? 'not without' : `not with ${fields}`,
      );
    if (job.id !== null && memory.id !== job.id) throw foreignFile(job, memory.id);
    return true;
  }
  const format = (await existing.format()) ?? run.format;
  if (format !== run.format) throw differs(target.path, `exported as ${format}`, `not as ${run.format}`);
  const { channels } = await existing.ids();
  const [held] = channels;
  if (held !== undefined && job.id !== null && !channels.has(job.id)) throw foreignFile(job, held);
  return false;
}

const differs = (path: string, was: string, is: string): Failure =>
  usage(`${path} was ${was}, ${is}`, 'use the same --fields and --format, or export again with --restart');

/** Finishes an interrupted update that has all its pages. False: the new FILE has to be assembled again. */
async function finishInterrupted(job: ExportJob): Promise<boolean> {
  const { receipt } = job;
  const file = await openUpdate(job, {});
  try {
    if (file.finished === null) return false;
    const { entries, credits } = file.progress;
    receipt.resumed = { entries, credits: spent(credits) };
    receipt.added = 0;
    receipt.entries = (await new ExistingExport(job).ids()).entries;
    await noteFinished(job, file.finished);
    warnOfCleanup(job, file.finished);
    return true;
  } finally {
    await file.close();
  }
}

/** Notes a successful look that found nothing new. */
async function noteLook(
  job: ExportJob,
  feed: Feed | null,
  existing: ExistingExport,
  remembered: boolean,
  now: number,
): Promise<void> {
  const checked = new Date(now).toISOString();
  const ids = feed?.entries.map(({ videoId }) => videoId) ?? [];
  const seen = new Set(job.memory?.seen);
  const isKnown = remembered && ids.every((id) => seen.has(id));
  const known = isKnown ? ids : await knownIds(ids, existing);
  remember(job, (memory) => ({ checked, seen: known, ...(remembered ? {} : { entries: memory.entries }) }));
  if (remembered) return;
  const { digestOf } = await import('./partial-file.ts');
  const { stat } = await import('node:fs/promises');
  const { real } = job.target;
  const { size, mtimeMs, ino } = await stat(real);
  const { entries } = await existing.ids();
  const finished = { size, digest: await digestOf(real), mtime: mtimeMs, inode: ino };
  remember(job, () => ({ entries, finished }));
}

async function knownIds(ids: readonly string[], existing: ExistingExport): Promise<string[]> {
  const all = await existing.ids();
  return ids.filter((id) => all.has(id));
}

/**
 * Buys pages until one ends with an entry that FILE has (rule 2). Unknown entries are added on top of FILE; those
 * below FILE's last entry are appended. Returns the IDs on the bought pages.
 */
async function buyPages(
  job: ExportJob,
  existing: ExistingExport,
  feed: Feed | null,
  remembered: boolean,
): Promise<ReadonlySet<string>> {
  const { run, receipt, target } = job;
  const known = await existing.ids();
  const file = await openForNewPages(job, feed);
  try {
    const before = file.progress;
    // The list may have moved since the interruption, by any number of pages. The last row may have no end yet.
    const rows: string[] = [];
    if (file.resumed) for await (const id of existing.idsIn(`${target.real}.part`)) rows.push(id);
    const selector = new NewEntries(known, before, rows, run.task.options.all);
    const columns = run.fields === null ? await existing.columns() : null;
    const format = await fileFormat(run, before.columns ?? columns);
    await writePages(job, file, {
      format,
      item: itemOf(job, file.header.published),
      limit: null,
      known: known.entries,
      reserve: await fileSize(target.real),
      done: false,
      pageIds: () => selector.pageIds,
      select: (page) => selector.select(page),
    });
    if (selector.hasMetKnown) endConditions(job, 'all old');
    else if (known.entries > 0) {
      if (known.channelId === null && !remembered) throw possiblyForeign(target.path);
      warnOnce(
        job,
        'all old',
        `none of the ${known.entries} entries that ${target.path} had is in the list any more; they are kept`,
      );
    }
    receipt.added = file.progress.entries - before.entries;
    await finishUpdate(job, existing, feed, file, format);
    return selector.found;
  } finally {
    await file.close();
  }
}

/** Opens the update of FILE. One that was interrupted starts over if FILE has changed since. */
async function openForNewPages(job: ExportJob, feed: Feed | null): Promise<PartialFile> {
  const { run, receipt, target } = job;
  const published = Object.fromEntries(
    (feed?.entries ?? []).flatMap(({ videoId, published }) =>
      published === null ? [] : [[videoId, published]],
    ),
  );
  const file = await openUpdate(job, published);
  try {
    const hasChanged =
      file.resumed &&
      (await file.isBaseChanged()) &&
      file.header.base?.size !== (await fileSize(target.real));
    if (!hasChanged) return file;
    run.session.warn({
      label: receipt.label,
      message: `${target.path} was changed since its update was interrupted; the update starts over`,
    });
    await file.discard();
  } catch (error) {
    await file.close();
    throw error;
  }
  return await openUpdate(job, published);
}

/** Puts the new entries into FILE; without any, discards the update and notes a look. */
async function finishUpdate(
  job: ExportJob,
  existing: ExistingExport,
  feed: Feed | null,
  file: PartialFile,
  format: Format,
): Promise<void> {
  const { run, receipt } = job;
  const known = await existing.ids();
  const { entries } = file.progress;
  receipt.token = null;
  if (entries === 0) {
    await file.discard();
    receipt.entries = known.entries;
    receipt.status = 'unchanged';
    await noteLook(job, feed, existing, false, run.session.context.clock.now());
    return;
  }
  const closing = format.close({ reference: null }, { ...restAfter(known, file.progress), failure: null });
  const old = { entries: known.entries, rows: () => existing.rows(format.separator) };
  await run.printNew?.(file.newRows());
  const result = await file.finishUpdate(old, format.separator, closing + format.tail());
  receipt.entries = known.entries + entries;
  receipt.status = 'complete';
  await noteFinished(job, result);
  warnOfCleanup(job, result);
}

/** What FILE does not hold after an update: that of a limited FILE, unless a page has met its end. */
function restAfter({ rest }: FileIds, { top, hasMore, token }: Progress): Rest {
  if (!rest?.hasMore) return { hasMore: false, token: null };
  return top === null && hasMore ? rest : { hasMore, token: hasMore ? token : null };
}

/** Selects the entries of bought pages that FILE lacks (rule 2). */
class NewEntries {
  /** The IDs on all pages of this run, and those in the rows of an interrupted one. */
  readonly found: Set<string>;
  /** The IDs on the last page. */
  pageIds: readonly string[];
  /** Whether a page had an entry that FILE has. */
  hasMetKnown: boolean;
  readonly #known: FileIds;
  readonly #takesAllPages: boolean;
  /** New IDs, those of an interrupted run included. */
  readonly #taken: Set<string>;
  /** Whether FILE's last entry was on a page: what follows it goes below FILE. */
  #isPastEnd: boolean;

  /** `rows`: the IDs in the rows of an interrupted run. `takesAllPages`: do not end at a known entry (`--all`). */
  constructor(known: FileIds, before: Progress, rows: readonly string[], takesAllPages: boolean) {
    this.#known = known;
    this.#takesAllPages = takesAllPages;
    this.#taken = new Set([...before.ids, ...rows]);
    this.found = new Set(this.#taken);
    this.#isPastEnd = before.top !== null;
    this.pageIds = before.ids;
    this.hasMetKnown = before.ids.some((id) => known.has(id));
  }

  select({ entries }: Page): Selection {
    const known = this.#known;
    const ids = entries.map(videoIdOf);
    this.pageIds = ids.filter((id) => id !== null);
    for (const id of this.pageIds) this.found.add(id);
    this.hasMetKnown ||= this.pageIds.some((id) => known.has(id));
    const last = known.last === null ? -1 : ids.indexOf(known.last);
    const above = entries.filter((_, i) => !this.#isPastEnd && (last < 0 || i < last) && this.#take(ids[i]));
    if (last >= 0) this.#isPastEnd = true;
    const below = this.#isPastEnd ? entries.filter((_, i) => i > last && this.#take(ids[i])) : null;
    const end = this.pageIds.at(-1);
    const endsKnown = end !== undefined && known.has(end);
    return {
      entries: above,
      ...(below !== null && { below }),
      done: !this.#takesAllPages && (endsKnown || last >= 0),
      fullyConsumed: true,
    };
  }

  /** Whether an ID is new, once. */
  #take(id: string | null | undefined): boolean {
    if (id == null || this.#known.has(id) || this.#taken.has(id)) return false;
    this.#taken.add(id);
    return true;
  }
}

async function openUpdate(job: ExportJob, published: Readonly<Record<string, string>>): Promise<PartialFile> {
  const identity = await identityFor(job, await PartialFile.peek(job.target));
  return await PartialFile.open(job.target, identity, {
    mode: 'update',
    restart: false,
    now: job.run.session.context.clock.now(),
    digest: job.run.remembers,
    published,
    creditsBefore: creditsSoFar(job),
  });
}

async function fileSize(path: string): Promise<number> {
  const { stat } = await import('node:fs/promises');
  return (await stat(path)).size;
}

/** The failure for a FILE that names no channel and shares no entry with the list: the new rows stay in FILE.part. */
function possiblyForeign(path: string): Failure {
  return new Failure(
    'bad_answer',
    `no entry of ${path} is in the list: it may hold another channel, and is left as it is`,
    {
      hint: 'name another file; or move it away, and the same command exports all of the list (1 credit per page)',
    },
  );
}
