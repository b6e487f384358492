import { crc32 } from 'node:zlib';
import type { PagesFile } from '../archive/pages-file.ts';
import { isArchive, type PagesEnd } from '../archive/pages-format.ts';
import { type ArchiveRecord, stampOf, writeRecord } from '../archive/record.ts';
import { Failure, toFailure } from '../errors.ts';
import { newFileName, recordName } from '../fs/archive-names.ts';
import { AtomicFile } from '../fs/atomic.ts';
import { syncFolder, withFileErrors } from '../fs/files.ts';
import { linesOf } from '../fs/line-chunks.ts';
import { assertWritten } from '../fs/written-file.ts';
import { JsonText } from '../json/json-text.ts';
import { listingEnd, listingStart } from '../output/document.ts';
import { parseFields } from '../output/parse-fields.ts';
import { entriesOf, render } from '../output/render.ts';
import type { Run } from '../run/run.ts';
import { tokenOf } from '../service/page.ts';
import type { ExportItem } from './export-item.ts';
import { moveAwayStep, sameCommandStep } from './messages.ts';
import { type ArchiveContents, assertUnchanged, copyArchive, saveDamaged } from './updated-file.ts';

/**
 * Finishes an export or update that has all of its pages: writes the new FILE (the entries of `below`, the updated archive,
 * come last), renames it over FILE, writes the record, and deletes the pages. After a crash in between, the next run finishes
 * it for free. Throws if FILE has changed since the run began.
 */
export async function finishExport(
  run: Run,
  item: ExportItem,
  pages: PagesFile,
  recordChanges: Pick<ArchiveRecord, 'checks' | 'whole'>,
  below: ArchiveContents | null = null,
): Promise<void> {
  const { exportFolder, name, target } = item;
  const { request, foundFile } = pages.header;
  const expected = foundFile && target.stats !== null ? stampOf(target.stats) : null;
  const step = below === null ? moveAwayStep(item) : `${sameCommandStep(item)} to resume`;
  const assertExpected = (): void => assertUnchanged(target, expected, step);
  assertExpected();
  pages.assertOwn();
  const path = exportFolder.privateFolder.at(newFileName(name));
  using file = new AtomicFile(target, path);
  let [checksum, size] = [0, 0];
  const write = (chunk: string | Buffer): void => {
    checksum = crc32(chunk, checksum);
    size += Buffer.byteLength(chunk);
    file.write(chunk);
  };
  if (request.format !== 'ndjson' || request.fields !== null) await renderView(run, item, pages, write);
  else for await (const chunk of pages.rows(exportFolder.context.stop)) write(chunk);
  if (below !== null) await copyArchive(item, below, write);
  const made = file.close();
  const stamp = stampOf(made);
  const entries = pages.position.entries + (below?.entries ?? 0);
  const record = { ...item.recordIdentity, ...stamp, checksum, entries, ...recordChanges };
  const end = { ...stamp, record: isArchive(request) ? record : null };
  pages.addEnd(end);
  if (below !== null) await saveDamaged(item, below);
  assertExpected();
  assertWritten(path, made, size);
  file.commit();
  assertUnchanged(target, stamp, step);
  recordFinished(run, item, pages, end);
}

/** Writes the record of a FILE that has just been replaced, and removes the pages. */
export function recordFinished(run: Run, item: ExportItem, pages: PagesFile, { record }: PagesEnd): void {
  const { privateFolder } = item.exportFolder;
  if (record === null) privateFolder.remove(recordName(item.name));
  else writeRecord(privateFolder, item.name, record);
  withFileErrors(privateFolder.path, 'failure', () => syncFolder(privateFolder.path));
  removePages(run, item, pages);
}

/** Deletes the pages file once the record is written. Only warns if that fails: the next run deletes it. */
export function removePages(run: Run, { reference }: ExportItem, pages: PagesFile): void {
  try {
    pages.remove();
  } catch (error) {
    run.warn('not removed', reference.label, toFailure(error).message);
  }
}

/** Renders the entries of a run in the format of its request. */
async function renderView(
  run: Run,
  { exportFolder, reference }: ExportItem,
  pages: PagesFile,
  write: (text: string | Buffer) => void,
): Promise<void> {
  const { context, operation, options, format } = exportFolder;
  const { next } = pages.position;
  const { info } = pages;
  const warnings = await render(
    () => entriesOf(linesOf(pages.rows(context.stop)), parseRow),
    true,
    {
      format,
      shape: operation,
      fields: parseFields(options.fields, operation),
      terminal: null,
      source: reference,
      frame: {
        before: listingStart(info === null ? null : JsonText.of(info)),
        after: listingEnd(next !== 'end', tokenOf(next), null),
      },
    },
    write,
  );
  for (const message of warnings) run.warn('format', null, `${reference.label}: ${message}`);
}

function parseRow(line: Buffer | null): JsonText {
  const entry = line === null ? null : JsonText.parse(line);
  if (entry === null) throw new Failure('failed', 'a row of the interrupted run cannot be read back');
  return entry;
}
