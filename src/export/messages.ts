import { accountFlagsOf, commandLine, extensionOf, type Flag } from '../cli/options.ts';
import { Failure, usage } from '../errors.ts';
import { formatByExtension } from '../output/formats.ts';
import { sandboxName } from '../run/open-run.ts';
import { type Export, notMounted } from './exports.ts';
import type { Refusal } from './next-step.ts';
import type { RunFile } from './run-file.ts';
import { type ExportRequest, giveUp, isArchive } from './run-header.ts';

/** The cost of all pages of a list: how many there are is not known beforehand. */
export const wholeCost = '1 credit per 100 entries';

export const flagsOf = (names: readonly string[]): readonly Flag[] =>
  names.map((name) => ({ name, value: null }));

/** The command for FILE alone, with other flags than those of the run. */
export function commandWith(
  { options: { invocation }, reference, value, target }: Export,
  ...flags: readonly string[]
): string {
  const ofRun = ['--from', '--summary', '--update', '--all', '--restart', '--dry-run'];
  const drop = [...ofRun, '--output', '--output-dir'];
  const add: Flag[] = [{ name: '-o', value: target.path }, ...flagsOf(flags)];
  return commandLine(invocation, [reference ?? value], { drop, add });
}

export const isUpdatable = (id: string): boolean => id.startsWith('UC');

/** The command that makes, resumes or repairs the export of a request, with these flags. */
export function commandFor(
  path: string,
  { id, format = 'ndjson', fields = null, limit = null, service }: Partial<ExportRequest> & { id: string },
  flags: readonly Flag[] = [],
): string {
  const given: Flag[] = [{ name: '-o', value: path }];
  if (formatByExtension(extensionOf(path)) !== format) given.push({ name: '--format', value: format });
  if (fields !== null) given.push({ name: '--fields', value: fields });
  if (limit !== null) given.push({ name: '--limit', value: String(limit) });
  if (service === sandboxName) given.push({ name: '--sandbox', value: null });
  return commandLine({ name: isUpdatable(id) ? 'uploads' : 'playlist', flags: [...given, ...flags] }, [id]);
}

/** The failure that refuses an export. */
export function refusal(why: Refusal, one: Export): Failure {
  const { target, record, request, folder, name, interrupted, operation, options } = one;
  const { path } = target;
  if (why === 'not mounted') return notMounted(path);
  if (why === 'another run') {
    const found = interrupted?.header.request ?? request;
    const { id, format, fields, limit, service } = found;
    const flags = [fields && `--fields ${fields}`, limit && `--limit ${limit}`].filter(Boolean).join(' and ');
    const what = `of ${id}, as ${format}${flags && ` with ${flags}`}, at ${service}`;
    const command = commandFor(path, found, accountFlagsOf(options));
    // Another address needs another account.
    const resume = service === request.service ? `to resume it: ${command}; ` : '';
    return usage(`${path} has pages of an interrupted run ${what}`, resume + giveUp(folder, name));
  }
  const what =
    record === null
      ? 'exists, and chanlist has no record of it'
      : record.id === request.id
        ? 'is an archive; chanlist show prints it in other formats'
        : `is an archive of ${record.id}, not of ${request.id}`;
  const replace = `name another file, or replace it (${wholeCost}): ${commandWith(one, '--restart')}`;
  const isAdoptable = record === null && operation.name === 'uploads' && isArchive(request);
  const adopt = `if each line is an entry of this channel, take it as its archive: ${commandWith(one, '--update')}`;
  return usage(`${path} ${what}`, isAdoptable ? `${adopt}; ${replace}` : replace);
}

/** The warning that FILE is an archive from now on. */
export const adoptedText =
  'it had no record, and is now an archive; whether it is complete is not known: --update --all buys every page';

/** The failure of a run that cannot be continued: its token is refused, or its list loops. */
export function unresumable(
  one: Export,
  runFile: RunFile,
  why: string,
  status: number | null = null,
): Failure {
  const isUpdate = runFile.header.update !== null;
  return new Failure('unresumable', `the ${isUpdate ? 'update' : 'export'} cannot be continued: ${why}`, {
    status,
    hint: isUpdate
      ? 'run the same command again: it starts over'
      : `export it from the first page (${wholeCost}): ${commandWith(one, '--restart')}`,
  });
}

/** How to resume: --restart would begin again. */
export const sameCommand = ({ options, tally }: Pick<Export, 'options' | 'tally'>): string =>
  options.restart && tally.credits.confirmed > 0
    ? 'the same command without --restart'
    : 'the same command again';

/** The next step if another FILE has appeared: pages that are paid wait for its place. */
export const moveAway = (one: Export): string =>
  `move it away, then run ${sameCommand(one)}: nothing is paid twice`;
