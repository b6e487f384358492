import { commandLine } from '../cli/invocation.ts';
import type { ListingOptions } from '../cli/options.ts';
import { nameVideoId } from '../cli/rules.ts';
import { excerpt, Failure, type FailureDetails, usage } from '../errors.ts';
import { pagesOf } from '../run/listing.ts';
import { count, credits } from '../text/count.ts';
import { shellQuote } from '../text/shell-quote.ts';
import type { ExportFile } from './inspect.ts';
import type { ExportFlags, Kept, Refusal } from './next-step.ts';
import type { ExportRecord, ExportRequest } from './record.ts';

/**
 * What it costs to fetch the pages of an export: all of them, or those of its first `limit` entries. From its entries and
 * the pages so far, if they are known.
 */
export function costText(record: ExportRecord | null, limit: number | null = null): string {
  const { finished = null, progress = null } = record ?? {};
  const ofProgress = progress !== null && progress.pages > 0 ? progress.entries / progress.pages : null;
  const pageSize = finished?.pageSize ?? ofProgress;
  const whole = finished?.isCut ? 0 : (finished?.entries ?? 0);
  const all = Math.max(whole, progress?.total ?? 0);
  const entries = limit === null ? all : Math.min(limit, all || limit);
  if (entries === 0 || !pageSize) return '1 credit per page of about 100 entries';
  return `about ${credits(pagesOf(entries, pageSize))}`;
}

/** Whether exports of this request can be updated. */
export const isUpdatable = ({ command, format, fields }: ExportRequest): boolean =>
  command === 'uploads' && format !== 'json' && nameVideoId(fields);

/** `in csv format, with --fields videoId,title and no --limit` */
function describe({ format, fields, limit }: ExportRequest): string {
  const flags = [fields === null ? 'all fields' : `--fields ${fields}`];
  flags.push(limit === null ? 'no --limit' : `--limit ${limit}`);
  return `in ${format} format, with ${flags.join(' and ')}`;
}

/** An export of a run, as messages about it need it. */
export interface Asked {
  readonly options: Pick<ListingOptions, 'invocation'>;
  readonly item: { readonly reference: string };
  readonly file: ExportFile;
  readonly flags: Pick<ExportFlags, 'request'>;
  /** As it is now. */
  readonly record: ExportRecord | null;
}

/** The command line of the run for this export alone, and what it is to do. */
function commandFor({ options: { invocation }, item, record }: Asked, ...what: readonly string[]): string {
  const drop = ['--from', '--summary', '--update', '--all', '--print-new', '--restart', '--dry-run'];
  if (what.includes('--update')) drop.push('--limit');
  // The bound would stop the export again.
  if (record?.progress?.isOutOfBudget) drop.push('--max-credits');
  return commandLine(invocation, [item.reference], {
    drop,
    add: what.map((name) => ({ name, value: null })),
  });
}

/** The failure that refuses an export: 1 for lost data, 8 for a list that loops, 2 otherwise. */
export function refusal(why: Refusal, asked: Asked): Failure {
  const { file, flags, record } = asked;
  const { request } = flags;
  const { contents } = file;
  const { path } = file.target;
  const cost = costText(record);
  const again = `${commandFor(asked, '--restart')} (${costText(record, request.limit)})`;
  const repair = isUpdatable(request) ? `${commandFor(asked, '--update', '--all')} (${cost})` : again;
  const refused = (message: string, hint: string): Failure =>
    new Failure('usage', message, { hint, scope: 'reference' });
  switch (why) {
    case 'unresumable':
      return unresumable(asked, 'the list repeats itself, or has only empty pages');
    case 'foreign': {
      const ids = [record?.progress?.request.id, record?.request.id, ...(contents?.channels ?? [])];
      const id = ids.find((one) => one !== undefined && one !== request.id);
      return refused(`${path} is an export of ${id}, not of ${request.id}`, 'name another file');
    }
    case 'other request': {
      const was = record?.progress?.request ?? request;
      const where = was.service === request.service ? '' : ` at ${was.service}`;
      return refused(
        `${path} has an unfinished export ${describe(was)}${where}`,
        `run it again with these, or start over: ${again}`,
      );
    }
    case 'other format':
      return refused(
        `${path} was exported ${describe(record?.request ?? request)}`,
        `chanlist show prints an ndjson export in another format or with other fields, free; or export it again: ${again}`,
      );
    case 'other columns':
      return refused(
        `${path} has the columns ${excerpt(contents?.columns?.join(',') ?? '')}, not ${request.fields}`,
        `name these with --fields, or export it again: ${again}`,
      );
    case 'other limit': {
      const isShown = request.format === 'ndjson';
      const show = `chanlist show ${isShown ? shellQuote(path) : 'EXPORT.ndjson'} --limit ${request.limit}`;
      return refused(
        `${path} has ${file.entries} entries, more than --limit ${request.limit}`,
        `${show} prints the first ones${isShown ? '' : ' of an ndjson export'}; or export it again: ${again}`,
      );
    }
    case 'file gone':
      return damaged(
        'absent',
        `${path} is missing, but was exported before`,
        `restore it, or export it again: ${commandFor(asked)} (${cost})`,
      );
    case 'lost': {
      const { entries: had } = record?.finished ?? { entries: 0 };
      return damaged(
        'lost',
        `${path} has ${count(file.entries, 'entry', 'entries')}, but had ${had}`,
        `restore it, or repair it: ${repair}`,
      );
    }
    case 'damaged':
      return damaged(
        'damaged',
        `${path} is damaged: ${contents?.damage}`,
        `restore it, or repair it: ${repair}`,
      );
    case 'no ids':
      return refused(
        `${path} has no videoId, by which an update recognizes entries`,
        `export it again: ${again}`,
      );
    case 'no record': {
      const isAdopted = isUpdatable(request) && !record?.progress;
      const update = contents?.damage ? ['--update', '--all'] : ['--update'];
      const adopt = isAdopted ? `adopt it: ${commandFor(asked, ...update)}; or ` : '';
      return refused(`${path} exists, and chanlist has no record of it`, `${adopt}replace it: ${again}`);
    }
  }
}

/** Data that was there is missing: an error in every run until it is repaired (exit 1). */
const damaged = (code: 'absent' | 'lost' | 'damaged', message: string, hint: string): Failure =>
  new Failure(code, message, { hint });

/** What is known of FILE without a record. */
export const unknownText = 'whether the file is complete is not known: --update --all fetches every page';
export const adoptedText = `adopted a file without a record; ${unknownText}`;

/** The warning for an export that this run does not touch. */
export function keptText(why: Kept, { record }: ExportFile, { request }: ExportFlags): string {
  const isUpdated = isUpdatable(request);
  const again = `use --restart to export it again (${costText(record)})`;
  switch (why) {
    case 'complete':
      if (record?.finished?.isCut)
        return `skipped: already exported up to --limit ${request.limit}; without --limit all is exported`;
      return `skipped: already exported; ${isUpdated ? 'use --update to refresh it' : again}`;
    case 'adopted':
      return isUpdated
        ? `adopted a file without a record; use --update to refresh it; ${unknownText}`
        : `adopted a file without a record: whether it is complete is not known; ${again}`;
    case 'recent':
      return 'skipped: exported less than 22 hours ago';
    case 'interrupted restart':
      return 'skipped: already exported; use --restart to finish the interrupted restart';
    case 'interrupted update':
      return 'skipped: its update was interrupted; use --update to finish it';
  }
}

/**
 * The failure of an interrupted run that cannot be resumed: its token is refused, its list loops, its rows are damaged
 * (exit 1 for those of an export).
 */
export function unresumable(asked: Asked, why: string, details: FailureDetails = {}): Failure {
  const { isUpdate = false, isOutOfBudget = false, request } = asked.record?.progress ?? {};
  const all = isOutOfBudget ? ', which --max-credits must allow in one run' : '';
  const cost = costText(asked.record, request?.limit ?? null);
  const hint = isUpdate
    ? 'run the same command again: it starts over'
    : `start over: ${commandFor(asked, '--restart')} (${cost}${all})`;
  const what = `the ${isUpdate ? 'update' : 'export'} cannot be continued: ${why}`;
  return new Failure('unresumable', what, { ...details, hint });
}

/** A listing without entries never replaces a FILE that has some. */
export const emptyList = (path: string): Failure =>
  new Failure(
    'bad_answer',
    `the service returned an empty list, but ${path} is not empty; not replacing it`,
    {
      status: 200,
      hint: 'check the reference; if the list is really empty, remove the file',
    },
  );

export const notMounted = (folder: string): Failure =>
  usage(
    `there are no exports in the folder ${folder}`,
    'is its disk mounted? A first run goes without --update',
  );
