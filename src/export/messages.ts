import { carriedFlagsOf } from '../cli/options.ts';
import { Failure, usage } from '../errors.ts';
import { formatByPath } from '../output/formats.ts';
import { sandboxName } from '../run/run.ts';
import type { Command, Flag } from '../text/command.ts';
import { type ExportItem, notMounted } from './exports.ts';
import type { Refusal } from './next-step.ts';
import { discardPages, type PagesFile } from './pages-file.ts';
import type { ExportRequest } from './pages-format.ts';

const switchesOf = (names: readonly string[]): readonly Flag[] =>
  names.map((name) => ({ name, value: null }));

interface ExportCommand {
  /** FILE. */
  readonly path: string;
  /** Without format, fields and limit: an archive. */
  readonly request: Pick<ExportRequest, 'id' | 'service'> & Partial<ExportRequest>;
  readonly reference: string;
  readonly purpose?: string;
  /** By default that of the ID. */
  readonly command?: string;
  /** Flags that any command of this run needs. */
  readonly flags?: readonly Flag[];
}

/** The command that makes, resumes or repairs an export, with these switches. */
export function exportCommand(
  { path, request, reference, purpose, command, flags = [] }: ExportCommand,
  ...switches: readonly string[]
): Command {
  const { id, format = 'ndjson', fields = null, limit = null, service } = request;
  const name = command ?? (id.startsWith('UC') ? 'uploads' : 'playlist');
  const given: Flag[] = [{ name: '-o', value: path }];
  if (formatByPath(path) !== format) given.push({ name: '--format', value: format });
  if (fields !== null) given.push({ name: '--fields', value: fields });
  if (limit !== null) given.push({ name: '--limit', value: String(limit) });
  if (service === sandboxName) given.push({ name: '--sandbox', value: null });
  return {
    ...(purpose && { purpose }),
    program: `chanlist ${name}`,
    operands: [reference],
    flags: [...given, ...flags, ...switchesOf(switches)],
  };
}

/** The command for the FILE of an export of this run, with these switches. */
export const commandFor = (
  { target, request, reference: { reference, value }, exports: { operation, options } }: ExportItem,
  purpose: string,
  ...switches: readonly string[]
): Command => {
  const flags = carriedFlagsOf(options);
  return exportCommand(
    { path: target.path, request, reference: reference ?? value, purpose, command: operation.name, flags },
    ...switches,
  );
};

/** The failure that refuses an export. */
export function refusal(why: Refusal, item: ExportItem): Failure {
  const { target, record, request, name, interrupted } = item;
  const { path } = target;
  if (why === 'not mounted') return notMounted(path);
  if (why === 'another run') {
    const { id, format, fields, limit, service } = interrupted?.header.request ?? request;
    const flags = [fields && `--fields ${fields}`, limit && `--limit ${limit}`].filter(Boolean).join(' and ');
    const what = `of ${id}, as ${format}${flags && ` with ${flags}`}, at ${service}`;
    return usage(
      `${path} has pages of an interrupted export ${what}`,
      discardPages(item.exports.folder, name),
    );
  }
  const what =
    record === null
      ? 'exists'
      : record.id === request.id
        ? 'is an archive'
        : `is an archive of ${record.id}, not of ${request.id}`;
  return usage(`${path} ${what}`, commandFor(item, 'choose another file name, or replace it', '--restart'));
}

/** The warning that FILE is an archive from now on. */
export const adoptedText =
  'it had no record, and is now an archive; it may be incomplete: --update --all buys every page';

/** The failure of a run that cannot be continued: its token is refused, or its list loops. */
export function unresumable(
  item: ExportItem,
  pages: PagesFile,
  why: string,
  status: number | null = null,
): Failure {
  const isUpdate = pages.header.update !== null;
  return new Failure('unresumable', `the ${isUpdate ? 'update' : 'export'} cannot be continued: ${why}`, {
    status,
    next: isUpdate
      ? 'run the same command again: it starts over'
      : commandFor(item, 'export it from the first page', '--restart'),
  });
}

/** Words the command that resumes, without --restart. */
export const sameCommand = ({ exports, reference }: ExportItem): string =>
  exports.options.restart && reference.tally.credits.confirmed > 0
    ? 'run the same command without --restart'
    : 'run the same command again';

/** The next step if another FILE has appeared: pages that are paid wait for its place. */
export const moveAway = (item: ExportItem): string =>
  `move it away, then ${sameCommand(item)}: nothing is paid for twice`;
