import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ListingOptions } from '../cli/options.ts';
import { Failure, systemCode, toFailure, usage } from '../errors.ts';
import { assertDistinctPaths } from '../fs/distinct-paths.ts';
import { guardFile } from '../fs/file-error.ts';
import { makeFolders } from '../fs/files.ts';
import { resolveTarget, type Target } from '../fs/output-target.ts';
import { PrivateFolder, privateFolderOf } from '../fs/private-folder.ts';
import { parseFields } from '../output/fields.ts';
import { Stdout } from '../output/stdout.ts';
import type { Run } from '../run/open.ts';
import { inOrder } from '../run/pool.ts';
import type { InputReference } from '../run/references.ts';
import { type Result, resultOf, unreached } from '../run/results.ts';
import type { PagedOperation } from '../service/contract.ts';
import { exportItem } from './export.ts';
import { sight } from './inspect.ts';
import type { ExportItem, ExportRun } from './locked-export.ts';
import { notMounted } from './messages.ts';
import { NewEntries } from './print-new.ts';
import type { ExportRecord, FileFormat } from './record.ts';
import { ReferenceIndex } from './references.ts';

/** Longest name of a file on all common file systems, and of the record of one, in bytes. */
const maxRecordName = 255;
/** IDs that are safe as file names. */
const fileId = /^[A-Za-z0-9_-]+$/;

/** Where exports go: `-o FILE` is a folder run with one item. */
export interface Destination {
  readonly format: FileFormat;
  /** The folder of the exports, without links. */
  readonly folder: string;
  /** FILE of `-o`; null with `--output-dir`. */
  readonly file: Target | null;
  /** As given. */
  readonly path: string;
}

/** The destination that the options name; nothing is created. Throws usage errors for what cannot be one. */
export function destinationOf(options: ListingOptions, format: FileFormat, file: Target | null): Destination {
  const path = options.outputDir ?? options.output ?? '';
  if (file === null) return { format, folder: path, file, path };
  checkName(basename(file.real));
  return { format, folder: dirname(file.real), file, path };
}

function checkName(name: string): void {
  if (Buffer.byteLength(`${name}.json`) > maxRecordName)
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
  const isFolder = file === null;
  const parent = isFolder ? openParent(destination.path, options.update) : destination.folder;
  const opened = openPrivate(parent, options.update);
  try {
    const names = opened?.names() ?? [];
    const index = new ReferenceIndex(operation.name, format, run.context.clock.now());
    if (opened !== null) index.read(opened, isFolder ? names : [`${basename(file?.real ?? '')}.json`]);
    if (inputs.length > 1) run.shareProgress();
    // Before a request is sent for nothing.
    if (opened === null && !hasExports(destination)) throw notMounted(parent);
    const results = new Map<InputReference, Result>();
    const items = await resolveItems(run, inputs, index, results, (id) => targetOf(destination, id), opened);
    assertDistinctPaths(namedFiles(options, items));
    if (opened === null && items.every(({ sighting }) => sighting.target.stats === null))
      throw notMounted(parent);
    const folder = opened ?? openPrivate(parent, false);
    if (folder === null) throw new Error('no private folder');
    const exports: ExportRun = {
      run,
      operation,
      options,
      format,
      fields: parseFields(options.fields, operation),
      folder,
      isFolder,
      several: inputs.length > 1,
      printNew: options.printNew ? new NewEntries(new Stdout(run.context, run.stderr)) : null,
      names,
    };
    try {
      const { concurrency } = options;
      const ordered = [...items].sort(byUrgency);
      const done = inOrder(ordered, { concurrency }, (item) =>
        run.work(item, () => exportItem(exports, item)),
      );
      for (const item of ordered) {
        const { value } = await done.next();
        if (value) results.set(item.input, withFile(value, item));
      }
    } finally {
      if (folder !== opened) folder.close();
    }
    return inputs.flatMap((input) => results.get(input) ?? []);
  } finally {
    opened?.close();
  }
}

/** A result that was not reached names FILE, too. */
const withFile = (result: Result, { id, sighting }: Item): Result => ({
  ...result,
  id: result.id ?? id,
  file: result.file ?? sighting.target.path,
  entries:
    result.failure === null ? result.entries : result.entries || (sighting.record?.finished?.entries ?? 0),
});

/** The folder of `--output-dir`, which an update does not create: nothing mounted looks like an empty one. */
function openParent(path: string, isUpdate: boolean): string {
  return guardFile(`--output-dir ${path}`, 'open', () => {
    if (!isUpdate) makeFolders(path);
    try {
      return realpathSync(path);
    } catch (error) {
      throw systemCode(error) === 'ENOENT' ? notMounted(path) : error;
    }
  });
}

/** Whether there is an export without a record: FILE, or a file in the folder that is named by an ID. */
function hasExports({ file, path, format }: Destination): boolean {
  if (file !== null) return file.stats !== null;
  return readdirSync(path).some((name) => name.endsWith(`.${format}`));
}

/** Opens `.chanlist`; an update does not create it before a FILE was found: null. */
function openPrivate(parent: string, isUpdate: boolean): PrivateFolder | null {
  const path = privateFolderOf(parent);
  return isUpdate ? PrivateFolder.open(path) : PrivateFolder.openOrCreate(path);
}

function targetOf({ format, file, path }: Destination, id: string): Target {
  if (file !== null) return file;
  if (!fileId.test(id))
    throw new Failure('bad_answer', 'the ID from the service cannot name a file', { status: 200 });
  const name = `${id}.${format}`;
  checkName(name);
  return resolveTarget(join(path, name), { onlyFiles: true });
}

interface Item extends ExportItem {
  readonly input: InputReference;
}

/** Resolves what no record knows (free, several at once), and makes one item of references with one ID. */
async function resolveItems(
  run: Run,
  inputs: readonly InputReference[],
  index: ReferenceIndex,
  results: Map<InputReference, Result>,
  targetFor: (id: string) => Target,
  folder: PrivateFolder | null,
): Promise<readonly Item[]> {
  const items = new Map<string, Item>();
  const concurrency = run.plan.concurrency;
  const resolved = inOrder(inputs, { concurrency }, (input) => resolveOne(run, index, input));
  for (const input of inputs) {
    const { value } = await resolved.next();
    if (!value) continue;
    if ('failure' in value) {
      results.set(input, value);
      continue;
    }
    const { id, references } = value;
    const first = items.get(id);
    if (first !== undefined) {
      run.warn('duplicate', input.label, `the same channel or playlist as ${first.label}; exported once`);
      items.set(id, { ...first, references: { ...first.references, ...references } });
      continue;
    }
    try {
      const target = targetFor(id);
      const sighting = index.sightingOf(basename(target.real), target) ?? sight(folder, target);
      items.set(id, { ...input, input, id, references, sighting });
    } catch (error) {
      const failure = toFailure(error);
      results.set(input, resultOf(input, { id, failure: failure.with({ scope: 'reference' }) }));
    }
  }
  return [...items.values()];
}

async function resolveOne(
  run: Run,
  index: ReferenceIndex,
  input: InputReference,
): Promise<Pick<ExportItem, 'id' | 'references'> | Result> {
  const { stopped } = run;
  if (stopped !== null) return unreached(input, stopped);
  let found: Pick<ExportItem, 'id' | 'references'> | null = null;
  const result = await run.work(input, async () => {
    try {
      found = await index.resolve(run, input);
      return resultOf(input, {});
    } catch (error) {
      return resultOf(input, { failure: toFailure(error) });
    }
  });
  return found ?? result;
}

function namedFiles({ summary, from, keyFile }: ListingOptions, items: readonly Item[]) {
  const given = [
    { flag: '--summary', path: summary, isOutput: true },
    { flag: '--from', path: from, isOutput: false },
    { flag: '--key-file', path: keyFile, isOutput: false },
  ];
  const files = items.map(({ sighting: { target } }) => ({
    flag: 'the export',
    path: target.path,
    isOutput: true,
    target,
  }));
  return [...given.flatMap(({ path, ...rest }) => (path ? [{ ...rest, path }] : [])), ...files];
}

/** Interrupted exports first, then those checked longest ago; those that failed last time come last. */
function byUrgency(one: Item, other: Item): number {
  const [a, b] = [one, other].map(({ sighting }) => urgency(sighting.record));
  if (a === undefined || b === undefined) return 0;
  return a.rank - b.rank || (a.checked < b.checked ? -1 : a.checked > b.checked ? 1 : 0);
}

const urgency = (record: ExportRecord | null): { readonly rank: number; readonly checked: string } => ({
  rank: record?.failure != null ? 2 : record?.progress != null ? 0 : 1,
  checked: record?.checked ?? '',
});
