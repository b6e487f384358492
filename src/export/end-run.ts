import { fstatSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../errors.ts';
import { assertUnchanged, setMode } from '../fs/atomic.ts';
import { closeQuietly, guardFile, syncFolder, syncIfPossible } from '../fs/files.ts';
import { linesOf } from '../fs/line-chunks.ts';
import { markOf } from '../fs/output-target.ts';
import { recordName } from '../fs/private-folder.ts';
import { JsonText } from '../json/json-text.ts';
import { entriesOf, render } from '../output/render.ts';
import type { Archive } from './archive.ts';
import { isArchive } from './inspect.ts';
import { type LockedExport, referenceOf } from './locked-export.ts';
import { moveAway, sameCommand } from './messages.ts';
import { type ArchiveRecord, newRecord, writeRecord } from './record.ts';
import type { RunEnd, RunFile } from './run-file.ts';
import { newFileName } from './run-header.ts';

/**
 * Ends a run that has all of its pages: renders its entries, below them those of the archive that it updates, into a new
 * file; then that takes the place of FILE, the record is written, and the run file goes. A crash anywhere in it leaves a
 * run that the next one ends, for free. Throws if FILE is no longer the one that the run found when it began.
 */
export async function endRun(
  locked: LockedExport,
  run: RunFile,
  checks: ArchiveRecord['checks'],
  below: Archive | null = null,
): Promise<void> {
  const { folder, name, target, item, context } = locked;
  const { request } = run.header;
  const expected = run.header.replaces && target.stats !== null ? markOf(target.stats) : null;
  const hint = below === null ? moveAway(locked) : `run ${sameCommand(locked)} to resume`;
  const assertSame = (): void => assertUnchanged(target, expected, hint);
  assertSame();
  const temporary = newFileName(name);
  const fd = folder.create(temporary);
  const write = (chunk: string | Buffer): void =>
    guardFile(target.path, 'write', () => writeFileSync(fd, chunk));
  let end: RunEnd;
  try {
    if (request.format !== 'ndjson' || request.fields !== null) await renderView(locked, run, write);
    else for await (const chunk of run.rows(context.stop)) write(chunk);
    await below?.copy(write);
    guardFile(target.path, 'write', () => {
      setMode(fd, target);
      syncIfPossible(fd);
    });
    const mark = markOf(fstatSync(fd));
    const entries = run.position.entries + (below?.entries ?? 0);
    const record = newRecord({ reference: referenceOf(locked), id: item.id, ...mark, entries, checks });
    end = { ...mark, record: isArchive(request) ? record : null };
  } finally {
    closeQuietly(fd);
  }
  run.addEnd(end);
  assertSame();
  guardFile(target.path, 'write', () => {
    renameSync(folder.at(temporary), target.real);
    syncFolder(dirname(target.real));
  });
  recordEnd(locked, run, end);
}

/** The last steps of a run whose new FILE is in its place. */
export function recordEnd({ folder, name }: LockedExport, run: RunFile, { record }: RunEnd): void {
  if (record === null) folder.remove(recordName(name));
  else writeRecord(folder, name, record);
  folder.sync();
  run.remove();
}

/** Renders the entries of a run in the format of its request. */
async function renderView(
  { context, warn, item, operation, fields, format }: LockedExport,
  run: RunFile,
  write: (text: string | Buffer) => void,
): Promise<void> {
  const { hasMore, token } = run.position;
  const warnings = await render(
    () => entriesOf(linesOf(run.rows(context.stop)), parseRow),
    true,
    {
      ...{ format, operation, fields, terminal: null },
      item: { reference: item.reference },
      info: run.info === null ? null : JsonText.of(run.info),
      end: { hasMore, token: hasMore ? token : null, failure: null },
    },
    write,
  );
  for (const message of warnings) warn(`format: ${message.split(':', 1)}`, item.label, message);
}

function parseRow(line: Buffer | null): JsonText {
  const entry = line === null ? null : JsonText.parse(line);
  if (entry === null) throw new Failure('failed', 'a row of the interrupted run cannot be read back');
  return entry;
}
