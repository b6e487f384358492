import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ListingOptions } from '../cli/options.ts';
import { Failure, toFailure, usage } from '../errors.ts';
import { guardFile } from '../fs/file-error.ts';
import { makeFolders } from '../fs/files.ts';
import { resolveTarget, type Target } from '../fs/output-target.ts';
import { PrivateFolder, privateFolderOf } from '../fs/private-folder.ts';
import { parseFields } from '../output/fields.ts';
import { exportName, type FileFormat } from '../output/formats.ts';
import { Stdout } from '../output/stdout.ts';
import type { Run } from '../run/open.ts';
import { checkPaths } from '../run/output.ts';
import { inOrder } from '../run/pool.ts';
import { type InputReference, sameAs } from '../run/references.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { PagedOperation } from '../service/contract.ts';
import { exportItem } from './export.ts';
import type { ExportItem, ExportRun } from './locked-export.ts';
import { notMounted } from './messages.ts';
import { NewEntries } from './print-new.ts';
import { recordName } from './record.ts';
import { ReferenceIndex, type ResolvedReference } from './references.ts';

/** Longest name of a file on all common file systems, and of the record of one, in bytes. */
const maxRecordName = 255;
/** IDs that are safe as file names. */
const fileId = /^[A-Za-z0-9_-]+$/;

/** Where exports go: `-o FILE` is a folder run with one item. */
export interface Destination {
  readonly format: FileFormat;
  /** The folder of the exports. */
  readonly folder: string;
  /** FILE of `-o`; null with `--output-dir`. */
  readonly file: Target | null;
}

/** The destination that the options name; nothing is created. Throws usage errors for what cannot be one. */
export function destinationOf(options: ListingOptions, format: FileFormat, file: Target | null): Destination {
  if (file === null) return { format, folder: options.outputDir ?? '', file };
  checkName(basename(file.real));
  return { format, folder: dirname(file.real), file };
}

function checkName(name: string): void {
  if (Buffer.byteLength(recordName(name)) > maxRecordName)
    throw usage(`the file name ${name.slice(0, 40)}… is too long`, 'choose a shorter one');
}

/**
 * Exports each reference into its FILE, or brings it up to date: first resolves what no record knows, then exports, those
 * that were interrupted first. Returns the results in input order.
 */
export async function exportAll(
  run: Run,
  operation: PagedOperation,
  inputs: readonly InputReference[],
  options: ListingOptions,
  destination: Destination,
): Promise<readonly Result[]> {
  const { format, file } = destination;
  const { concurrency, update } = options;
  const path = privateFolderIn(destination, update);
  // An update does not create it before a FILE was found.
  let folder = update ? PrivateFolder.open(path) : PrivateFolder.openOrCreate(path);
  try {
    const names = folder?.names() ?? [];
    const index = new ReferenceIndex(operation.name, format, run.context.clock.now());
    if (folder !== null) index.read(folder, file === null ? names : [recordName(basename(file.real))]);
    if (inputs.length > 1) run.shareProgress();
    // Before a request is sent for nothing.
    if (folder === null && !hasExports(destination)) throw notMounted(destination.folder);
    const resolved = inOrder(inputs, { concurrency }, (input) =>
      run.request(() => index.resolve(run, input)),
    );
    const { items, results } = await groupById(run, resolved, index, destination);
    const targets = items.map(({ snapshot }) => snapshot.target);
    await checkPaths({ ...options, output: null }, run.context, targets);
    if (folder === null && targets.every(({ stats }) => stats === null)) throw notMounted(destination.folder);
    folder ??= PrivateFolder.openOrCreate(path);
    const exports: ExportRun = {
      run,
      operation,
      options,
      format,
      fields: parseFields(options.fields, operation),
      folder,
      printNew: options.printNew ? new NewEntries(new Stdout(run.context, run.stderr)) : null,
      names,
    };
    const ordered = [...items].sort(byUrgency);
    const done = inOrder(ordered, { concurrency }, (item) => run.work(item, () => exportItem(exports, item)));
    for await (const [item, result] of done) results.set(item.input, withFile(result, item));
    return inputs.flatMap((input) => results.get(input) ?? []);
  } finally {
    folder?.close();
  }
}

/** The result of an item, reached or not, with its ID and FILE. */
const withFile = (result: Result, { id, snapshot: { target, record } }: InputItem): Result => ({
  ...result,
  id,
  file: target.path,
  entries:
    result.entries ||
    (result.failure === null || target.stats === null ? 0 : (record?.finished?.entries ?? 0)),
});

/** The private folder of a destination. An update does not create `--output-dir`: one that is not mounted looks empty. */
function privateFolderIn({ folder, file }: Destination, isUpdate: boolean): string {
  if (file !== null) return privateFolderOf(folder);
  return guardFile(`--output-dir ${folder}`, 'open', () => {
    if (!isUpdate) makeFolders(folder);
    else if (!existsSync(folder)) throw notMounted(folder);
    return privateFolderOf(folder);
  });
}

/** Whether there is an export without a record: FILE, or a file in the folder that is named by an ID. */
export function hasExports({ file, folder, format }: Destination): boolean {
  if (file !== null) return file.stats !== null;
  return (
    existsSync(folder) &&
    readdirSync(folder).some((name) => exportName.test(name) && name.endsWith(`.${format}`))
  );
}

function targetOf({ format, file, folder }: Destination, id: string): Target {
  if (file !== null) return file;
  if (!fileId.test(id))
    throw new Failure('bad_answer', 'the ID from the service cannot name a file', { status: 200 });
  const name = `${id}.${format}`;
  checkName(name);
  return resolveTarget(join(folder, name), { onlyFiles: true });
}

interface InputItem extends ExportItem {
  readonly input: InputReference;
}

/** Makes one item of references with one ID; `results`: of references without an ID or FILE. */
async function groupById(
  run: Run,
  resolved: AsyncIterable<[InputReference, ResolvedReference | Failure]>,
  index: ReferenceIndex,
  destination: Destination,
): Promise<{ readonly items: readonly InputItem[]; readonly results: Map<InputReference, Result> }> {
  const items = new Map<string, InputItem>();
  const results = new Map<InputReference, Result>();
  for await (const [input, value] of resolved) {
    if (value instanceof Failure) {
      results.set(input, resultOf(input, { failure: value }));
      continue;
    }
    const { id, references } = value;
    const first = items.get(id);
    if (first !== undefined) {
      run.warn('duplicate', input.label, sameAs(first));
      items.set(id, { ...first, references: { ...first.references, ...references } });
      continue;
    }
    try {
      const snapshot = index.snapshotOf(targetOf(destination, id));
      items.set(id, { ...input, input, id, references, snapshot });
    } catch (error) {
      const failure = toFailure(error);
      results.set(input, resultOf(input, { id, failure: failure.with({ scope: 'reference' }) }));
    }
  }
  return { items: [...items.values()], results };
}

/** Interrupted exports first, then those checked longest ago; those that failed last time come last. */
function byUrgency(one: InputItem, other: InputItem): number {
  const [a, b] = [urgency(one), urgency(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A text that is smaller the more urgent an export is. */
function urgency({ snapshot: { record } }: InputItem): string {
  const rank = record?.failure != null ? 2 : record?.progress != null ? 0 : 1;
  return `${rank} ${record?.checked ?? ''}`;
}
