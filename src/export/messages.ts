import type { PagesFile } from '../archive/pages-file.ts';
import { discardCommand, type ExportRequest } from '../archive/pages-format.ts';
import { carriedFlagsOf } from '../cli/options.ts';
import { Failure, usage } from '../errors.ts';
import { formatByPath } from '../output/formats.ts';
import { sandboxName } from '../sandbox/defaults.ts';
import { listingCommands } from '../service/contract.ts';
import { kindOfId } from '../service/parse-reference.ts';
import type { Command, Flag } from '../text/command.ts';
import type { Refusal } from './decide-export.ts';
import { type ExportItem, notMounted } from './export-item.ts';

export const switchesOf = (...names: readonly string[]): readonly Flag[] =>
  names.map((name) => ({ name, value: null }));

interface ExportCommand {
  readonly purpose?: string;
  /** FILE. */
  readonly path: string;
  /** Absent members have the values of an archive: ndjson, all fields, no limit. */
  readonly request: Partial<ExportRequest> & Pick<ExportRequest, 'id'>;
  readonly command?: string;
  readonly reference: string;
  /** Flags that do not follow from the request. */
  readonly flags?: readonly Flag[];
}

/** Returns the command that makes, resumes or repairs an export. */
export function exportCommand({
  purpose,
  path,
  request: { id, format = 'ndjson', fields = null, limit = null, service },
  command = listingCommands[kindOfId(id)],
  reference,
  flags = [],
}: ExportCommand): Command {
  const requested: Flag[] = [{ name: '-o', value: path }];
  if (formatByPath(path) !== format) requested.push({ name: '--format', value: format });
  if (fields !== null) requested.push({ name: '--fields', value: fields });
  if (limit !== null) requested.push({ name: '--limit', value: String(limit) });
  if (service === sandboxName) requested.push({ name: '--sandbox', value: null });
  return {
    ...(purpose && { purpose }),
    program: `chanlist ${command}`,
    operands: [reference],
    flags: [...requested, ...flags],
  };
}

/** Returns the command that makes or updates the FILE of an item with these switches. */
export function commandFor(item: ExportItem, purpose: string, ...switches: readonly string[]): Command {
  const { target, request, reference, exportFolder } = item;
  return exportCommand({
    purpose,
    path: target.path,
    request,
    command: exportFolder.operation.name,
    reference: reference.given ?? reference.value,
    flags: [...carriedFlagsOf(exportFolder.options), ...switchesOf(...switches)],
  });
}

/** Describes a flag of an interrupted run: `with --limit 3`, `without --limit`; null if neither run has the flag. */
function flagDifference(
  flag: string,
  had: string | number | null,
  has: string | number | null,
): string | null {
  if (had !== null) return `with ${flag} ${had}`;
  return has === null ? null : `without ${flag}`;
}

/** The step for a FILE of a folder if its record is of another ID: only a person can know which of the two is wrong. */
export const misplacedStep = 'restore the file and its record under their own names';

/** The step for a FILE whose bytes have changed: no command knows the original bytes. */
export const changedBytesStep = 'restore it, or accept it with --update --all';

export function refusal(why: Refusal, item: ExportItem): Failure {
  const { target, record, foreignId, request, name, interrupted } = item;
  const { path } = target;
  if (why === 'not mounted') return notMounted(path);
  if (why === 'another run') {
    const { id, format, fields, limit, service } = interrupted?.header.request ?? request;
    const difference = [
      flagDifference('--fields', fields, request.fields),
      flagDifference('--limit', limit, request.limit),
    ];
    const what = [`of ${id}`, `as ${format}`, ...difference, `at ${service}`].filter(Boolean).join(', ');
    return usage(
      `${path} has pages of an interrupted export ${what}`,
      discardCommand(item.exportFolder.privateFolder, name),
    );
  }
  if (foreignId !== null && item.exportFolder.file === null)
    return usage(`${path}: its record is of ${foreignId}`, misplacedStep);
  const state = record === null ? 'already exists, with no record that it is an archive' : 'is an archive';
  const what = foreignId === null ? state : `is an archive of ${foreignId}, not of ${request.id}`;
  return usage(`${path} ${what}`, commandFor(item, 'choose another file name, or replace it', '--restart'));
}

/** The warning that FILE is an archive from now on. */
export const adoptedWarning =
  'had no record, now an archive; may be incomplete: --update --all buys every page';

/** Returns the failure of a run that cannot be continued: its token is refused, or its list loops. */
export function unresumable(
  item: ExportItem,
  pages: PagesFile,
  why: string,
  status: number | null = null,
): Failure {
  const isUpdate = pages.header.update !== null;
  return new Failure('unresumable', `the ${isUpdate ? 'update' : 'export'} cannot be continued: ${why}`, {
    status,
    step: isUpdate
      ? 'run the same command again: it starts over'
      : commandFor(item, 'export it from the first page', '--restart'),
  });
}

/** Says how to resume. After a purchase, the command must not have --restart, which would discard the pages. */
export const sameCommandStep = ({ exportFolder, reference }: ExportItem): string =>
  exportFolder.options.restart && reference.tally.credits.confirmed > 0
    ? 'run the same command without --restart'
    : 'run the same command again';

/** The step for a file that appeared at the path of FILE while its pages were bought. */
export const moveAwayStep = (item: ExportItem): string =>
  `move it away, then ${sameCommandStep(item)}: nothing is paid for twice`;
