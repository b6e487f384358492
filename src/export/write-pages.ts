import { dirname } from 'node:path';
import { Failure } from '../errors.ts';
import { checkRoom, minRoom } from '../fs/room.ts';
import { type Format, type Item, joined, type Text } from '../output/format.ts';
import { resumeInstruction } from '../run/command-line.ts';
import {
  isTokenRefused,
  type ListingPlan,
  listPages,
  type PageSink,
  type Selection,
} from '../run/listing.ts';
import type { Position } from '../run/position.ts';
import { type Credits, spent } from '../service/budget.ts';
import { type Page, pageDigest, tokenMark } from '../service/pages.ts';
import { count } from '../text/count.ts';
import { type ExportJob, warnOnce } from './job.ts';
import type { PartialFile } from './partial-file.ts';
import type { Progress } from './state.ts';

export interface WritePlan extends Pick<ListingPlan, 'select' | 'known' | 'limit'> {
  readonly format: Format;
  readonly item: Item;
  /** Video IDs of the page that was selected last. */
  pageIds(): readonly string[];
  /** Bytes needed to finish, besides the pages. */
  readonly reserve: number;
  /** No more pages are wanted, whatever the state says. */
  readonly done: boolean;
}

/**
 * Appends the remaining pages of a listing to a partial file; each page is durable before the next one is bought.
 * Throws the failure that ended the listing early; the receipt then says how to resume.
 */
export async function writePages(job: ExportJob, file: PartialFile, plan: WritePlan): Promise<void> {
  const { run, start, target, receipt } = job;
  const { session, task } = run;
  const before = file.progress;
  const resumed = file.resumed;
  if (resumed) {
    receipt.id ??= before.id;
    receipt.resumed = { entries: before.entries, credits: spent(before.credits) };
    session.stderr.verbose(
      `${target.path}: resuming the export of ${file.header.started}: ${count(before.entries, 'entry', 'entries')} in ${count(before.pages, 'page', 'pages')} are there`,
    );
  }
  const sink = new PartialFileSink(job, file, plan);
  try {
    await listPages(
      session,
      {
        operation: task.operation,
        reference: start.given,
        start: {
          reference: job.id ?? start.value,
          token: before.pages > 0 ? before.token : start.token,
          lastPage: before.lastPage,
          empty: before.emptyPages,
          sent: file.marks,
        },
        before: { ...before, done: before.done || plan.done },
        limit: plan.limit,
        known: plan.known ?? 0,
        select: plan.select,
        beforePage: () =>
          checkRoom(dirname(target.real), Math.max(minRoom, 2 * sink.pageBytes) + plan.reserve),
      },
      sink,
      receipt,
    );
  } catch (error) {
    await sink.noteCredits();
    const isFirst = resumed && file.progress.pages === before.pages;
    const failure =
      file.progress.token === null ? error : explainRefusedToken(job, error, file.progress, isFirst);
    const isResumable = !(failure instanceof Failure && failure.remedy === 'restart');
    if (file.progress.pages > 0 && isResumable) receipt.resumeHint = resumeHint(job, file.progress);
    throw failure;
  }
}

/** Writes the pages of a listing into a partial file. */
class PartialFileSink implements PageSink {
  /** Size of the last page. */
  pageBytes = 0;
  readonly #job: ExportJob;
  readonly #file: PartialFile;
  readonly #plan: WritePlan;
  /** Credits of earlier runs, and of this run before its pages. */
  readonly #creditsBefore: Credits;
  readonly #spentBefore: Credits;
  #emptyPages: number;
  /** Entries above and below those of FILE (updates). */
  #above: number;
  #below: number;
  #top: Progress['top'];

  constructor(job: ExportJob, file: PartialFile, plan: WritePlan) {
    const { top, entries, emptyPages, credits } = file.progress;
    this.#job = job;
    this.#file = file;
    this.#plan = plan;
    this.#creditsBefore = credits;
    this.#spentBefore = { ...job.receipt.tally.credits };
    this.#emptyPages = emptyPages;
    this.#above = top?.entries ?? entries;
    this.#below = entries - this.#above;
    this.#top = top;
  }

  async page(selection: Selection, position: Position, page: Page, resumable: boolean): Promise<void> {
    const { format, item, pageIds } = this.#plan;
    const file = this.#file;
    const { receipt } = this.#job;
    const opening = position.pages === 1 ? format.head() + format.open(item, page.info) : '';
    const text = this.#textOf(opening, selection);
    this.pageBytes = text.length;
    for (const warning of format.warnings()) warnOnce(this.#job, warning, warning);
    if (!resumable && !position.done) return await file.appendUncommitted(text);
    this.#emptyPages = page.entries.length === 0 ? this.#emptyPages + 1 : 0;
    await file.append(text, {
      entries: position.entries,
      pages: position.pages,
      top: this.#top,
      token: position.token,
      hasMore: position.hasMore,
      done: position.done,
      cut: !selection.fullyConsumed,
      total: position.total,
      lastPage: pageDigest(page) ?? file.progress.lastPage,
      ids: pageIds(),
      emptyPages: this.#emptyPages,
      id: receipt.id,
      credits: this.#credits,
      columns: format.columns(),
      mark: page.token === null ? null : tokenMark(page.token),
    });
  }

  /** Notes what was spent after the last page: the receipt of the next run has it. A failure loses only that. */
  async noteCredits(): Promise<void> {
    const { pages, credits } = this.#file.progress;
    if (pages > 0 && spent(this.#credits) > spent(credits))
      await this.#file.noteCredits(this.#credits).catch(() => {});
  }

  /** Credits of this export, in all runs. */
  get #credits(): Credits {
    return sum(this.#creditsBefore, this.#job.receipt.tally.credits, this.#spentBefore);
  }

  /** The text of a page: the entries above FILE, then those below it. */
  #textOf(opening: string, { entries, below }: Selection): Text {
    const { format, item } = this.#plan;
    const separator = this.#above > 0 && entries.length > 0 ? format.separator : '';
    let text = joined(opening + separator, format.rows(item, entries));
    if (below !== undefined) {
      // A copy: the buffer of `rows` is valid until the next call.
      const upper = Buffer.from(text);
      this.#top ??= {
        bytes: this.#file.progress.bytes + upper.length,
        entries: this.#above + entries.length,
      };
      const lowerSeparator = this.#below > 0 && below.length > 0 ? format.separator : '';
      text = Buffer.concat([upper, Buffer.from(joined(lowerSeparator, format.rows(item, below)))]);
    }
    this.#above += entries.length;
    this.#below += below?.length ?? 0;
    return text;
  }
}

function resumeHint({ run, receipt }: ExportJob, { entries, pages }: Progress): string {
  const instruction = resumeInstruction(run.task.options);
  const isKept = run.folder === null && (receipt.token !== null || pages > 0);
  const kept = `${count(entries, 'entry', 'entries')} in ${count(pages, 'page', 'pages')} kept`;
  return isKept ? `${kept}; ${instruction}` : instruction;
}

/**
 * A token that the service no longer accepts: only starting over helps. The same holds for an invalid page, if the
 * first request of a resumed export brings it.
 */
function explainRefusedToken(
  { target }: ExportJob,
  error: unknown,
  { pages }: Progress,
  isFirst: boolean,
): unknown {
  if (!(error instanceof Failure)) return error;
  const { status, code } = error;
  const isRefused = isTokenRefused(error);
  if (!isRefused && !(code === 'bad_answer' && isFirst)) return error;
  const kept = `${target.path}.part keeps ${count(pages, 'page', 'pages')}`;
  const message = isRefused
    ? `the service no longer accepts the continuation token: ${error.message}`
    : error.message;
  return new Failure('bad_answer', `${message}; ${kept}`, { status, remedy: 'restart' });
}

function sum(before: Readonly<Credits>, now: Readonly<Credits>, start: Readonly<Credits>): Credits {
  return {
    confirmed: before.confirmed + now.confirmed - start.confirmed,
    possibly_charged: before.possibly_charged + now.possibly_charged - start.possibly_charged,
  };
}
