import { Failure, toFailure } from '../../errors.ts';
import { moveInto } from '../../fs/atomic.ts';
import { chunksOf, linesOf } from '../../fs/line-chunks.ts';
import { markOf } from '../../fs/output-target.ts';
import { LINE_FEED } from '../../json/byte-writer.ts';
import { JsonText } from '../../json/json-text.ts';
import { parseFields } from '../../output/fields.ts';
import type { Item } from '../../output/format.ts';
import { entriesOf, render } from '../../output/render.ts';
import { videoIdOf } from '../../run/list-pages.ts';
import { type Result, resultOf } from '../../run/results.ts';
import { count } from '../../text/count.ts';
import { isIntact, readFile } from '../inspect/inspect-export.ts';
import { readArchive } from '../inspect/read-archive.ts';
import { commitRecord, type LockedExport, saveRecord } from '../locked-export.ts';
import { afterRun, type Check, nothingChecked } from '../record/after-run.ts';
import type { Finished, Progress } from '../record/export-record.ts';
import type { Fetched } from './fetch-rows.ts';
import { recordFailure } from './record-failure.ts';
import { Rows } from './rows.ts';

/**
 * Writes the new FILE beside the old one, commits that it is complete, and renames it over FILE. A failure leaves FILE
 * and the rows as they are.
 */
export async function putInPlace(
  locked: LockedExport,
  { progress, rows }: Pick<Fetched, 'progress' | 'rows'>,
  facts: Partial<Result>,
  check: Check,
): Promise<Result> {
  let whole = rows;
  try {
    if (!isFile(locked, progress)) whole = Rows.create(locked.folder, locked.name);
    const { newFile, added, addedBytes } = await build(locked, progress, rows, whole);
    // A first export prints nothing: it is the baseline.
    const isNew = progress.kind === 'update' && added > 0;
    if (isNew) await locked.printNew?.print(whole, addedBytes, locked.context.stop);
    commitRecord(locked, { ...locked.record, progress: { ...progress, newFile } });
    const { target } = locked.file;
    moveInto(locked.folder, whole.name, target, target.stats && markOf(target.stats));
    return recordReplaced(locked, check, { ...facts, ...(progress.kind === 'update' && { added }) });
  } catch (error) {
    if (whole !== rows) whole.remove();
    return recordFailure(locked, toFailure(error), facts);
  } finally {
    if (whole !== rows) whole[Symbol.dispose]();
  }
}

/** Records that FILE is the new one, which an earlier run may have put in place, and removes its rows. */
export function recordReplaced(
  locked: LockedExport,
  check: Check | null,
  facts: Partial<Result> = {},
): Result {
  const { folder, item, record, flags } = locked;
  const { progress } = record;
  const finished = progress?.newFile;
  if (!progress || !finished) throw new Error('nothing was put in place');
  const finalCheck = check ?? { ...nothingChecked, isWithoutFeed: progress.feedProblem !== null };
  saveRecord(
    locked,
    afterRun(record, { kind: 'replaced', progress, finished, check: finalCheck }, flags.now),
  );
  folder.remove(progress.rows);
  const { kind, hasMore, entries } = progress;
  return resultOf(item, {
    status: kind !== 'update' && hasMore ? 'limited' : 'complete',
    added: kind === 'update' ? entries : null,
    resumed: check === null ? entries : 0,
    ...facts,
    entries: finished.entries,
  });
}

/** Whether the rows are the new FILE, or its upper part: an archive without `--fields`, each entry once. */
function isFile({ file }: LockedExport, { kind, olderBytes, request }: Progress): boolean {
  if (request.format !== 'ndjson' || request.fields !== null || olderBytes > 0) return false;
  return kind !== 'update' || ![...file.rowIds].some((id) => file.contents?.ids.has(id));
}

/**
 * Writes the new FILE, unless `whole` is the rows themselves, and below it what FILE has, if this is an update. `added`:
 * the entries that come from rows, and their bytes.
 */
async function build(
  locked: LockedExport,
  progress: Progress,
  rows: Rows,
  whole: Rows,
): Promise<{ readonly newFile: Finished; readonly added: number; readonly addedBytes: number }> {
  const { context, record } = locked;
  const isUpdate = progress.kind === 'update';
  const added = whole === rows ? progress.entries : await renderRows(locked, progress, rows, whole);
  const addedBytes = whole.bytes;
  const oldEntries = isUpdate ? await appendFile(locked, whole) : 0;
  const exported = isUpdate ? record.finished?.exported : undefined;
  const now = new Date(context.clock.now()).toISOString();
  const newFile = await whole.finished(added + oldEntries, exported ?? now, context.stop);
  return { newFile, added, addedBytes };
}

/** Renders rows, and below them those of an update that was started over, each entry once; returns their number. */
async function renderRows(
  { file, context, warn, operation, item }: LockedExport,
  { kind, bytes, olderBytes, info, hasMore, token, published, request }: Progress,
  rows: Rows,
  whole: Rows,
): Promise<number> {
  const fields = parseFields(request.fields, operation);
  async function* entries(): AsyncGenerator<readonly JsonText[]> {
    const written = new Set<string>();
    const isNew = (entry: JsonText): boolean => {
      const id = operation.distinct ? videoIdOf(entry) : null;
      if (id === null) return true;
      const isKnown = (kind === 'update' && file.contents?.ids.has(id)) || written.has(id);
      written.add(id);
      return !isKnown;
    };
    for (const range of [{ start: olderBytes, end: bytes }, { end: olderBytes }])
      for await (const batch of entriesOf(linesOf(rows.chunks(context.stop, range)), parseRow))
        yield batch.filter(isNew);
  }
  const { entries: added, warnings } = await render(
    entries,
    true,
    {
      ...{ format: request.format, operation, fields, terminal: null },
      item: itemOf(item.reference, published),
      info: info === null ? null : JsonText.of(info),
      end: { hasMore, token: hasMore ? token : null, failure: null },
    },
    (text) => whole.append(text),
  );
  for (const message of warnings) warn(`format: ${message.split(':', 1)}`, item.label, message);
  return added;
}

const itemOf = (reference: string, published: Readonly<Record<string, string>>): Item => ({
  reference,
  published: (videoId) => (Object.hasOwn(published, videoId) ? (published[videoId] ?? null) : null),
});

function parseRow(line: Buffer | null): JsonText {
  const entry = line === null ? null : JsonText.parse(line);
  if (entry === null) throw new Failure('failed', 'a row was changed during this run');
  return entry;
}

/** Copies an archive behind new rows, of a damaged one the lines that are entries. Returns their number. */
async function appendFile({ file, context, warn, item }: LockedExport, rows: Rows): Promise<number> {
  const { target, state, entries } = file;
  const { stop } = context;
  if (isIntact(file)) {
    await readFile(target, async (fd) => {
      for await (const chunk of chunksOf(fd, stop)) rows.append(chunk);
    });
    return entries;
  }
  const onRecord = (line: Buffer): void => rows.append(Buffer.concat([line, lineEnd]));
  const contents = await readFile(target, (fd) => readArchive(fd, { stop, onlyEntries: true, onRecord }));
  if (state === 'damaged')
    warn(
      'repaired',
      item.label,
      `${target.path}: left out ${count(contents.badLines, 'line', 'lines')}; the first: ${contents.damage}`,
    );
  return contents.entries;
}

const lineEnd = Buffer.of(LINE_FEED);
