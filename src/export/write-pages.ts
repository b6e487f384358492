import { videoFields } from '../api/contract.ts';
import type { Credits } from '../api/credits.ts';
import { pageDigest, tokenMark } from '../api/pages.ts';
import { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Format, Item } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import { type ListingPlan, list, type PageSink } from '../run/listing.ts';
import { nothingYet, type Position } from '../run/position.ts';
import type { Receipt } from '../run/receipts.ts';
import { count } from '../text/count.ts';
import type { PartialFile } from './partial-file.ts';
import { restartCommand } from './restart-command.ts';
import type { State } from './state.ts';
import type { ExportSettings, ExportTask } from './task.ts';

/** What the state of an interrupted export holds besides the journal's own. */
interface Extra {
  readonly hasMore: boolean;
  readonly done: boolean;
  readonly total: number | null;
  /** The last page was taken in part: the listing cannot be gone on from behind it. */
  readonly cut: boolean;
  /** Video ID of the last entry. */
  readonly last: string | null;
  /** Empty pages that came last, one after another. */
  readonly empty: number;
  /** Marks of the tokens that were sent: one that comes again would lead round for ever. */
  readonly sent: string;
  /** csv: the columns that the first page fixed. */
  readonly columns: readonly string[] | null;
}

/** How far an interrupted export has come. */
export interface PartPosition extends Position {
  readonly cut: boolean;
}

/** How the two kinds of export differ. */
export interface PartPlan extends Pick<ListingPlan, 'select' | 'known'> {
  /** Where the listing goes on. */
  readonly before: Position;
  /** More to keep for the next run, besides how far the listing has come; JSON. */
  extra?(): { readonly [key: string]: unknown };
  /** Everything has been listed; gets the closing text of the listing. */
  finish(closing: string): Promise<void>;
}

/** Lists into the file from where it has come to; throws what ended it early, saying how to go on. */
export async function writePages(
  task: ExportTask,
  file: PartialFile,
  format: Format,
  kind: PartPlan,
): Promise<void> {
  const { call, settings, start, target, receipt } = task;
  const { state } = file;
  const { before } = kind;
  const resumed = file.resumed && state.pages > 0;
  if (resumed) {
    receipt.id ??= state.id;
    call.stderr.verbose(
      `${target.path}: going on with what was interrupted; begun ${state.started}, ${kept(state)} there`,
    );
  }
  const overlap = leaveOutOverlap(task, resumed ? state : null, kind.select);
  const spentBefore = { ...receipt.tally.credits };
  let { sent, empty } = loopGuard(state);
  const emptyBefore = empty;
  let wrote = state.pages > 0;
  const sink: PageSink = {
    page: async (text, position, page) => {
      const whole = (position.pages === 1 ? format.head() : '') + text;
      wrote = true;
      if (page === null && !position.done) return await file.appendUncommitted(whole);
      const { hasMore, done, total } = position;
      if (page?.token) sent += tokenMark(page.token);
      empty = page?.entries.length === 0 ? empty + 1 : 0;
      const extra: Extra = {
        hasMore,
        done,
        total,
        cut: page === null,
        last: overlap.last(),
        empty,
        sent,
        columns: format.columns(),
      };
      await file.append(whole, {
        entries: position.entries,
        pages: position.pages,
        token: position.token,
        lastPage: page === null ? null : pageDigest(page),
        id: receipt.id,
        credits: plus(state.credits, minus(receipt.tally.credits, spentBefore)),
        extra: { ...extra, ...kind.extra?.() },
      });
    },
    close: async (text, end) => {
      if (end.failure === null) await kind.finish(text);
    },
  };
  const plan: ListingPlan = {
    operation: settings.listing.operation,
    item: { reference: start.given, position: 0 } satisfies Item,
    start: {
      reference: start.value,
      token: before.pages > 0 ? before.token : start.token,
      lastPage: state.lastPage,
      empty: emptyBefore,
      sent,
    },
    before,
    limit: settings.listing.options.limit,
    known: kind.known ?? 0,
    select: overlap.select,
    explain: (failure) => {
      const first = file.state.pages === state.pages;
      return resumed && first && state.token !== null ? expired(failure, state, task) : failure;
    },
  };
  try {
    await list(call, plan, format, sink, receipt);
  } catch (error) {
    if (receipt.failure === null) throw error;
  }
  if (receipt.failure === null) return;
  // What went wrong is in the receipt: that a file could not be removed would hide it.
  if (!wrote) await file.discard().catch(() => {});
  else if (file.state.pages > 0) receipt.goOn = resumeHint(file.state, receipt, settings);
  throw receipt.failure;
}

/** What earlier runs have seen of a list that may go round for ever. */
function loopGuard({ extra }: State): Pick<Extra, 'sent' | 'empty'> {
  const { sent, empty } = extra as Partial<Record<keyof Extra, unknown>>;
  return { sent: typeof sent === 'string' ? sent : '', empty: typeof empty === 'number' ? empty : 0 };
}

/**
 * A selection that, on the first page of a continued run, leaves out what is there already: where tokens are
 * places in the list, uploads that came in meanwhile have moved the entries on. In a playlist a video may stand
 * twice: there nothing is left out.
 */
function leaveOutOverlap(
  { call, settings, target }: ExportTask,
  resumed: State | null,
  select: ListingPlan['select'],
): { select: ListingPlan['select']; last(): string | null } {
  const idOf = (entry: JsonText | undefined): string | null => entry?.get('videoId')?.string() ?? null;
  const { last: seen = null } = (resumed?.extra ?? {}) as Partial<Extra>;
  let last = seen;
  let first = settings.listing.operation.name === 'uploads' && seen !== null;
  return {
    last: () => last,
    select: async (page, entries) => {
      const there = first ? page.entries.findIndex((entry) => idOf(entry) === seen) + 1 : 0;
      first = false;
      if (there > 0)
        call.stderr.verbose(`${target.path}: ${there} entries of this page were there already: left out`);
      const rest = there === 0 ? page : { ...page, entries: page.entries.slice(there) };
      const selection = await select(rest, entries);
      last = idOf(selection.entries.at(-1)) ?? last;
      return { ...selection, whole: selection.entries.length === rest.entries.length };
    },
  };
}

function kept({ entries, pages }: State): string {
  return `${count(entries, 'entry', 'entries')}, ${count(pages, 'page is', 'pages are')}`;
}

function resumeHint(state: State, receipt: Receipt, { listing }: ExportSettings): string | null {
  if (/--restart|the same command/.test(receipt.failure?.hint ?? '')) return null;
  const same = listing.options.restart ? 'the same command without --restart' : 'the same command';
  return `${kept(state)} kept: ${same} continues`;
}

/** A token that is refused, or leads nowhere, at the start of a continued run: it may never be gone on with. */
function expired(failure: Failure, state: State, task: ExportTask): Failure {
  const { status, code } = failure;
  const refused = status !== null && [400, 404, 410, 422].includes(status);
  if (!refused && code !== 'bad_answer') return failure;
  const inFolder = task.settings.listing.options.outputDir !== null;
  const again = `starts over, and pays its first ${state.pages === 1 ? 'page' : `${state.pages} pages`} again`;
  const restart = `${inFolder ? restartCommand(task) : '--restart'} ${again}`;
  const details = status === null ? {} : { status };
  return refused
    ? new Failure('bad_answer', `the service no longer takes the continuation token: ${failure.message}`, {
        ...details,
        hint: restart,
      })
    : new Failure('bad_answer', failure.message, {
        ...details,
        hint: `try again later; if it comes again, ${restart}`,
      });
}

/** Where an interrupted export has come to. */
export function positionOf(state: State): PartPosition {
  if (state.pages === 0) return { ...nothingYet, cut: false };
  const { hasMore = true, done = false, total = null, cut = false } = state.extra as Partial<Extra>;
  return { token: state.token, hasMore, done, total, cut, entries: state.entries, pages: state.pages };
}

function plus(a: Credits, b: Credits): Credits {
  return {
    confirmed: a.confirmed + b.confirmed,
    possibly_charged: a.possibly_charged + b.possibly_charged,
  };
}

function minus(a: Credits, b: Credits): Credits {
  return {
    confirmed: a.confirmed - b.confirmed,
    possibly_charged: a.possibly_charged - b.possibly_charged,
  };
}

/** The format of a file: one reference, nothing cut, no colour. `columns`: of an interrupted or existing csv. */
export function fileFormat(
  { listing, format, fields }: ExportSettings,
  columns: readonly string[] | null,
): Promise<Format> {
  return createFormat(format, {
    operation: listing.operation,
    fields,
    several: false,
    terminal: null,
    columns,
  });
}

/** The columns of an interrupted csv export, as far as a page has fixed them; earlier versions wrote the nine. */
export function columnsOf({ pages, extra }: State): readonly string[] | null {
  const { columns } = extra as Partial<Extra>;
  return pages === 0 ? null : columns === undefined ? videoFields : columns;
}
