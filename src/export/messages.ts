import { commandLine, type Flag, hasVideoId } from '../cli/options.ts';
import { Failure, type FailureDetails, usage } from '../errors.ts';
import type { PrivateFolder } from '../fs/private-folder.ts';
import { creditsLeft } from '../run/list-pages.ts';
import { count, credits } from '../text/count.ts';
import { shellQuote } from '../text/sanitize.ts';
import {
  type ExportFlags,
  isAdoptable,
  type Kept,
  otherChannel,
  type Refusal,
  recentHours,
} from './decide/next-step.ts';
import { type ExportFile, isIntact } from './inspect/inspect-export.ts';
import type { ExportSetup, ExportState } from './locked-export.ts';
import { type ExportRequest, isFetched, type Progress } from './record/export-record.ts';

/** The cost of all pages of a list: how many there are is not known beforehand. */
export const wholeCost = '1 credit per 100 entries';

/** What the rest of an interrupted run costs, from numVideos and its pages so far. */
export function restCost(progress: Progress): string {
  const { kind, isAll, listed, request } = progress;
  if (isFetched(progress)) return 'free';
  const left = creditsLeft({ ...progress, entries: listed }, request.limit);
  // How many pages a plain update needs is not known.
  return left === null || (kind === 'update' && !isAll) ? wholeCost : `about ${credits(left)}`;
}

/** Whether exports of this request can be updated. */
export const isUpdatable = ({ command, format, fields, limit }: ExportRequest): boolean =>
  command === 'uploads' && format === 'ndjson' && limit === null && hasVideoId(fields);

/** `in csv format, with --fields videoId,title and no --limit` */
function describe({ format, fields, limit }: ExportRequest): string {
  const flags = [fields === null ? 'all fields' : `--fields ${fields}`];
  flags.push(limit === null ? 'no --limit' : `--limit ${limit}`);
  return `in ${format} format, with ${flags.join(' and ')}`;
}

/** What messages about one export of a run, dry or not, need. */
type MessageFacts = ExportSetup & ExportState;

/** The command line of the run for this export alone, and what it is to do. */
function rerunCommand(
  { options: { invocation }, item, record }: MessageFacts,
  ...what: readonly string[]
): string {
  const drop = ['--from', '--summary', '--update', '--all', '--print-new', '--restart', '--dry-run'];
  // The bound would stop the export again.
  if (record.progress?.isOutOfBudget) drop.push('--max-credits');
  return commandLine(invocation, [item.reference], {
    drop,
    add: what.map((name) => ({ name, value: null })),
  });
}

const pathOfRows = ({ folder, record }: MessageFacts): string =>
  shellQuote(`${folder?.path ?? '.chanlist'}/${record.progress?.rows ?? ''}`);

/** How to give up an interrupted run over a complete FILE; null if there is none. */
function givingUp(facts: MessageFacts): string | null {
  const { file, record } = facts;
  if (!isIntact(file) || record.progress === null || record.progress.kind === 'export') return null;
  return `to keep ${file.target.path} as it is, delete the interrupted rows: rm ${pathOfRows(facts)}`;
}

/**
 * What is left to pay of an interrupted `--restart` or `--all` over a complete FILE, and how to give it up; null: it is
 * another one, or has nothing left to pay.
 */
export function leftToPay(facts: MessageFacts): string | null {
  const { progress } = facts.record;
  if (progress === null || progress.pages === 0 || isFetched(progress)) return null;
  if (progress.kind !== 'restart' && !progress.isAll) return null;
  const giveUp = givingUp(facts);
  return giveUp && `the rest costs ${restCost(progress)}; ${giveUp}`;
}

/** The failure that refuses an export. */
export function refusal(why: Refusal, facts: MessageFacts): Failure {
  const { file, flags, record, folder } = facts;
  const { request, isFolder } = flags;
  const { contents } = file;
  const { path } = file.target;
  const again = `${rerunCommand(facts, '--restart')} (${wholeCost})`;
  const repair = isUpdatable(request) ? `${rerunCommand(facts, '--update', '--all')} (${wholeCost})` : again;
  const refused = (message: string, hint: string): Failure =>
    new Failure('usage', message, { hint, scope: 'reference' });
  const broken = (code: 'absent' | 'lost' | 'damaged', message: string, hint: string): Failure =>
    new Failure(code, message, { hint });
  switch (why) {
    case 'foreign': {
      const ids = [
        file.record?.progress?.request.id,
        file.record?.request.id,
        otherChannel(contents?.channels ?? new Set(), request),
      ];
      const id = ids.find((one) => one != null && one !== request.id);
      return refused(
        `${path} is an export of ${id ?? 'another list'}, not of ${request.id}`,
        'name another file',
      );
    }
    case 'unusable record':
      return broken(
        'damaged',
        `${path}: its record is ${file.unusable}, and ${folder?.path} has rows of an interrupted run`,
        `restore the record, or start over: ${again}`,
      );
    case 'appeared':
      return refused(
        `${path} was not there when its export began; it is left unchanged, and the pages fetched so far are kept`,
        `move it away: mv ${shellQuote(path)} ${shellQuote(`${path}.old`)}; or start over: ${again}`,
      );
    case 'changed since':
      return broken(
        'damaged',
        `${path} was changed after its --restart began; the file and the fetched rows are both kept`,
        `move it away: mv ${shellQuote(path)} ${shellQuote(`${path}.old`)}; then run the same command again`,
      );
    case 'other request':
      return refused(...otherRequest(facts, again));
    case 'damaged rows':
      return unresumable(facts, file.rowsDamage ?? '', { exit: 1 });
    case 'unresumable':
      return unresumable(facts, 'the list repeats itself, or has only empty pages');
    case 'absent':
      return broken(
        'absent',
        `${path} is missing, but was exported before`,
        `restore it, or export it again: ${rerunCommand(facts)} (${wholeCost})`,
      );
    case 'lost': {
      const { entries } = record.finished ?? { entries: 0 };
      return broken(
        'lost',
        `${path} has ${count(file.entries, 'entry', 'entries')}, but had ${count(entries, 'entry', 'entries')}`,
        `restore it, or repair it: ${repair}`,
      );
    }
    case 'damaged':
      return broken(
        'damaged',
        `${path} is damaged: ${contents?.damage}`,
        `restore it, or repair it: ${repair}`,
      );
    case 'adoptable': {
      const adopt = isUpdatable(request) ? `adopt it: ${rerunCommand(facts, '--update')}; or ` : '';
      return refused(`${path} exists, and chanlist has no record of it`, `${adopt}replace it: ${again}`);
    }
    case 'not adoptable': {
      const elsewhere = isFolder ? 'move it away' : 'name another file';
      return refused(
        `${path} exists, and chanlist has no record of it${noExport(file, request)}`,
        `${elsewhere}, or replace it: ${again}`,
      );
    }
  }
}

/** Why a FILE without a record is not adopted. */
function noExport(file: ExportFile, request: ExportRequest): string {
  const { contents } = file;
  if (contents?.damage != null) return `; it is not an export: ${contents.damage}`;
  const other = otherChannel(contents?.channels ?? new Set(), request);
  if (other !== null) return `; it has entries of ${other}`;
  return isAdoptable(file, { ...request, format: 'ndjson', limit: null })
    ? ''
    : '; it has no entry with a videoId';
}

/** What FILE or its interrupted run was started with, and the next steps. */
function otherRequest(facts: MessageFacts, again: string): [message: string, hint: string] {
  const { file, flags, record } = facts;
  const { path } = file.target;
  const { progress } = file;
  const was = progress?.request ?? record.request;
  const where = was.service === flags.request.service || progress === null ? '' : ` at ${was.service}`;
  const message =
    progress === null
      ? `${path} was exported ${describe(was)}`
      : `${path} has an interrupted ${progress.kind} ${describe(was)}${where}`;
  const steps = [
    progress === null ? null : `to finish it, run it with these flags (${restCost(progress)})`,
    showCommand(facts),
    givingUp(facts),
    `${progress === null && record.finished ? 'export it again' : 'start over'}: ${again}`,
  ];
  return [message, steps.filter((step) => step !== null).join('; or ')];
}

/** The free command that prints what was requested from a complete archive; null if it has less. */
function showCommand({ file, flags, record }: MessageFacts): string | null {
  const { format, fields, limit } = flags.request;
  const archive = record.finished ? record.request : null;
  if (archive?.format !== 'ndjson' || !isIntact(file)) return null;
  const kept = archive.fields?.split(',');
  if (kept && !fields?.split(',').every((field) => kept.includes(field))) return null;
  if (archive.limit !== null && (limit === null || limit > archive.limit)) return null;
  const shown: Flag[] = [{ name: '--format', value: format }];
  if (fields !== null) shown.push({ name: '--fields', value: fields });
  if (limit !== null) shown.push({ name: '--limit', value: String(limit) });
  return `print it from the archive, free: ${commandLine({ name: 'show', flags: shown }, [file.target.path])}`;
}

/** The warning that FILE is an archive from now on. */
export const adoptedText =
  'adopted a file without a record; whether it is complete is not known: --update --all fetches every page';

/** The warning about a record that cannot be used. */
export const unusableText = ({ unusable }: ExportFile, { path }: Pick<PrivateFolder, 'path'>): string =>
  `its record in ${path} is ${unusable}; continuing without it`;

/** The warning that an interrupted run was given up: its rows have been removed. */
export const givenUpText = ({ kind }: Progress): string =>
  `the rows of its interrupted ${kind} were removed; continuing with the file as it is`;

/** The warning that an interrupted update of every page is continued as a plain one. */
export const unfetchedText = (facts: MessageFacts): string =>
  `its interrupted --all cannot be continued, so only new entries are fetched; to fetch every page: ${rerunCommand(facts, '--update', '--all')} (${wholeCost})`;

/** The warning for an export that this run does not touch. */
export function keptText(why: Kept, file: ExportFile, { request }: ExportFlags): string {
  const refresh = isUpdatable(request)
    ? 'use --update to add new uploads'
    : `use --restart to export it again (${wholeCost})`;
  switch (why) {
    case 'complete':
      return file.state === 'changed' && request.format !== 'ndjson'
        ? `kept: others have changed it since it was exported; ${refresh}`
        : `kept: already exported; ${refresh}`;
    case 'adopted':
      return isUpdatable(request)
        ? `${adoptedText}; ${refresh}`
        : `adopted a file without a record: whether it is complete is not known; ${refresh}`;
    case 'recent':
      return `kept: exported less than ${recentHours} hours ago`;
  }
}

/**
 * The failure of an interrupted run that cannot be resumed: its token is refused, its list loops, its rows are damaged
 * (exit 1 for those of an export).
 */
export function unresumable(facts: MessageFacts, why: string, details: FailureDetails = {}): Failure {
  const { kind = 'export', isOutOfBudget = false } = facts.record.progress ?? {};
  const all = isOutOfBudget ? ', which --max-credits must allow in one run' : '';
  const steps = [`start over: ${rerunCommand(facts, '--restart')} (${wholeCost}${all})`, givingUp(facts)];
  const hint =
    kind === 'update'
      ? 'run the same command again: it starts over'
      : steps.filter((step) => step !== null).join('; or ');
  return new Failure('unresumable', `the ${kind} cannot be continued: ${why}`, { ...details, hint });
}

/** A listing without entries never replaces a FILE that has some. */
export const emptyList = (path: string): Failure =>
  new Failure(
    'invalid_response',
    `the service returned an empty list, but ${path} is not empty; not replacing it`,
    {
      status: 200,
      hint: 'check the reference; if the list is really empty, remove the file',
    },
  );

export const notMounted = (folder: string): Failure =>
  usage(`there are no exports in ${folder}`, 'is the disk mounted? For a first run, omit --update');
