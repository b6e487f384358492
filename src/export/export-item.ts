import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { findProfile } from '../accounts/settings.ts';
import { PagesFile } from '../archive/pages-file.ts';
import { type ExportRequest, isArchive, type UpdateRequest } from '../archive/pages-format.ts';
import { type ArchiveRecord, type FileStamp, matchesStamp, readRecord, stampOf } from '../archive/record.ts';
import type { RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { type Failure, usage } from '../errors.ts';
import { archiveName, isArchiveName, privateFolderOf, recordName } from '../fs/archive-names.ts';
import { ignoreErrors, isFolder } from '../fs/files.ts';
import { assertPossibleNames, isEmpty, resolveTarget, type Target } from '../fs/output-target.ts';
import { PrivateFolder, temporaryName } from '../fs/private-folder.ts';
import type { FileFormat } from '../output/formats.ts';
import { parseFields } from '../output/parse-fields.ts';
import type { Reference } from '../run/read-references.ts';
import { sandboxName } from '../sandbox/defaults.ts';
import type { Operation } from '../service/contract.ts';
import type { DiskState } from './decide-export.ts';
import { FeedLog } from './feed-log.ts';

/** What all exports of a run share. `-o FILE` is a folder with one export. */
export interface ExportFolder {
  readonly operation: Operation;
  readonly options: RunOptions;
  readonly context: Context;
  readonly format: FileFormat;
  /** The folder of the FILEs. */
  readonly path: string;
  /** FILE of `-o`; null with `--output-dir`. */
  readonly file: Target | null;
  /** The folder `.chanlist` beside the FILEs. */
  readonly privateFolder: PrivateFolder;
  /** Address and namespace; '' without an account. */
  readonly service: string;
  readonly feeds: FeedLog;
}

/** One export, and its state on disk. */
export interface ExportItem extends Disposable {
  readonly exportFolder: ExportFolder;
  readonly reference: Reference;
  readonly id: string;
  /** Name of FILE. */
  readonly name: string;
  readonly target: Target;
  readonly request: ExportRequest;
  /** The record of FILE; null if there is none, or it is of another ID. */
  readonly record: ArchiveRecord | null;
  /** The ID in the record of FILE, if it is not this ID; otherwise null. */
  readonly foreignId: string | null;
  /** The pages of an interrupted run; disposing of the item closes them. */
  readonly interrupted: PagesFile | null;
  readonly onDisk: DiskState;
  /** Whether the update buys every page (`--update --all`). */
  readonly buysAll: boolean;
  readonly recordIdentity: Pick<ArchiveRecord, 'id' | 'reference' | 'aliases' | 'service'>;
}

/** Longest name of a file on all common file systems, in bytes. */
const maxName = 255;

/** Opens the folder of `-o` (`file`) or `--output-dir`; creates nothing. Throws a usage error for an unusable path. */
export function openExportFolder(
  operation: Operation,
  options: RunOptions,
  context: Context,
  format: FileFormat,
  file: Target | null,
): ExportFolder {
  const path = file === null ? (options.outputDir ?? '') : dirname(file.real);
  if (file === null) assertFolder(path);
  else assertShortName(basename(file.real));
  const privateFolder = PrivateFolder.open(privateFolderOf(path));
  // A folder that is not mounted looks empty.
  if (options.update && !privateFolder.exists && !hasArchive(path, file))
    throw notMounted(file?.path ?? path);
  const service = options.sandbox ? sandboxName : findProfile(options, context.env).serviceName;
  return { operation, options, context, format, path, file, privateFolder, service, feeds: new FeedLog() };
}

/** Throws a usage error for a path that cannot be a folder. */
function assertFolder(path: string): void {
  assertPossibleNames(path);
  if (existsSync(path) && !isFolder(path)) throw usage(`${path} is not a folder`, 'give a folder');
}

function assertShortName(name: string): void {
  if (Buffer.byteLength(temporaryName(recordName(name))) > maxName)
    throw usage(`the file name ${name.slice(0, 40)}… is too long`, 'choose a shorter one');
}

/** Whether FILE, or a file in the folder with the name of an archive, exists and is not empty. */
function hasArchive(folder: string, file: Target | null): boolean {
  if (file !== null) return (file.stats?.size ?? 0) > 0;
  const names = ignoreErrors(['ENOENT', 'ENOTDIR', 'EACCES'], () => readdirSync(folder)) ?? [];
  const sizeOf = (name: string): number => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return names.some((name) => isArchiveName(name) && sizeOf(name) > 0);
}

export const notMounted = (place: string): Failure =>
  usage(
    `there is no archive at ${place}, and no .chanlist beside it`,
    'is the disk mounted? For a first run, omit --update',
  );

export const nameOf = ({ file }: ExportFolder, id: string): string =>
  file === null ? archiveName(id) : basename(file.real);

/** Returns the path of the FILE of an ID, as the user named it. */
export const pathOf = ({ file, path }: ExportFolder, id: string): string =>
  file?.path ?? join(path, archiveName(id));

interface ExportInput {
  readonly reference: Reference;
  readonly id: string;
  readonly buysAll?: boolean;
}

/**
 * Reads the state of an export from disk. Throws usage errors for a FILE that is not a regular file, and
 * `damaged` for a record that cannot be used.
 */
export async function readItem(exportFolder: ExportFolder, input: ExportInput): Promise<ExportItem> {
  const { privateFolder, service, options, format, operation, file } = exportFolder;
  const { reference, id, buysAll = options.update && options.all } = input;
  const name = nameOf(exportFolder, id);
  const path = pathOf(exportFolder, id);
  // A dry run does not create the folder.
  const found = file ?? (existsSync(exportFolder.path) ? resolveTarget(path) : { path, real: path });
  assertNotLink(exportFolder, found);
  const target = { ...found, stats: lstatSync(found.real, { throwIfNoEntry: false }) ?? null };
  const fields = parseFields(options.fields, operation)?.map((field) => field.name);
  const { limit } = options;
  const request = { id, format, fields: fields?.join(',') ?? null, limit, service };
  const onFile = readRecord(privateFolder, name);
  const state = fileState(target, onFile, request);
  const record = onFile?.id === id ? onFile : null;
  const foreignId = record === null ? (onFile?.id ?? null) : null;
  const interrupted = await openInterrupted(exportFolder, name, state);
  // The pages of an update belong to the archive that the update found.
  const isOurs =
    interrupted !== null &&
    isDeepStrictEqual(interrupted.header.request, request) &&
    !(interrupted.header.update !== null && foreignId !== null);
  return {
    exportFolder,
    reference,
    id,
    name,
    target,
    request,
    record,
    foreignId,
    interrupted,
    onDisk: {
      pages: isOurs ? 'ours' : interrupted === null ? 'none' : 'another',
      file: state,
      hasFolder: privateFolder.exists && !privateFolder.created,
    },
    buysAll,
    [Symbol.dispose]: () => interrupted?.[Symbol.dispose](),
    recordIdentity: { id, ...keptReferences(id, reference, interrupted, record), service },
  };
}

/** Opens the pages of an interrupted run. Returns null if there are none, or if this run discards them. */
async function openInterrupted(
  { privateFolder, context, options }: ExportFolder,
  name: string,
  file: DiskState['file'],
): Promise<PagesFile | null> {
  if (options.restart) return null;
  const pages = await PagesFile.open(privateFolder, name, context.stop);
  // Pages of an update are useless without its FILE.
  if (pages === null || pages.header.update === null || file !== 'none') return pages;
  pages[Symbol.dispose]();
  return null;
}

/** Throws a usage error for a FILE of `--output-dir` that is a link: its record, or another archive, would be at its target. */
function assertNotLink(
  { file, path }: ExportFolder,
  { path: displayPath, real }: Pick<Target, 'path' | 'real'>,
): void {
  if (file !== null || !existsSync(path)) return;
  if (real === join(realpathSync.native(path), basename(displayPath))) return;
  throw usage(`${displayPath} is a link to another file`, 'update it alone, with -o FILE');
}

/** Returns the references for the record: the newest handle or URL first; the ID only if there is none. */
function keptReferences(
  id: string,
  { value, given }: Reference,
  interrupted: PagesFile | null,
  record: ArchiveRecord | null,
): Pick<ArchiveRecord, 'reference' | 'aliases'> {
  const names = [value === id ? id : (given ?? id)];
  if (interrupted !== null) names.push(interrupted.header.reference);
  if (record !== null) names.push(record.reference, ...record.aliases);
  const [reference = id, ...aliases] = new Set(names.filter((name) => name !== id));
  return { reference, aliases };
}

function fileState(target: Target, record: ArchiveRecord | null, request: ExportRequest): DiskState['file'] {
  const isRecorded = matchesStamp(target.stats, record);
  // An empty FILE that is as recorded is the archive of a channel without uploads.
  if (target.stats === null || (!isRecorded && isEmpty(target))) return 'none';
  if (record !== null && record.id !== request.id) return 'foreign';
  if (record === null || !isArchive(request)) return 'other';
  return isRecorded ? 'archive' : 'changed';
}

/** Size and time of FILE when the run began. */
export function foundStamp({ target: { stats } }: ExportItem): FileStamp {
  if (stats === null) throw new Error('an update without a file');
  return stampOf(stats);
}

/** The time now (ISO 8601). */
export const currentTime = ({ exportFolder }: ExportItem): string =>
  new Date(exportFolder.context.clock.now()).toISOString();

/** Creates the pages file of an export (`update` is null) or of an update. */
export function startPages(item: ExportItem, update: UpdateRequest | null): PagesFile {
  return PagesFile.create(item.exportFolder.privateFolder, item.name, {
    request: item.request,
    reference: item.recordIdentity.reference,
    started: currentTime(item),
    foundFile: item.onDisk.file !== 'none',
    update,
  });
}
