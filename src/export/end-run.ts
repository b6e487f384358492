import { lstatSync } from 'node:fs';
import { Failure, toFailure } from '../errors.ts';
import { AtomicFile } from '../fs/atomic.ts';
import { guardFile, syncFolder } from '../fs/files.ts';
import { linesOf } from '../fs/line-chunks.ts';
import type { Target } from '../fs/output-target.ts';
import { recordName } from '../fs/private-folder.ts';
import { JsonText } from '../json/json-text.ts';
import { parseFields } from '../output/fields.ts';
import { entriesOf, render } from '../output/render.ts';
import type { Reference } from '../run/read-references.ts';
import { type Result, resultOf } from '../run/results.ts';
import type { Run } from '../run/run.ts';
import type { Archive } from './archive.ts';
import type { Export, Exports } from './exports.ts';
import { moveAway, sameCommand } from './messages.ts';
import {
  type ArchiveRecord,
  checksAfterFailure,
  type FileMark,
  hasMark,
  markOf,
  writeRecord,
} from './record.ts';
import type { RunEnd, RunFile } from './run-file.ts';
import { isArchive, newFileName } from './run-header.ts';

/**
 * Ends a run that has all of its pages: renders its entries, below them those of the archive that it updates, into a new
 * file; then that takes the place of FILE, the record is written, and the run file goes. A crash anywhere in it leaves a
 * run that the next one ends, for free. Throws if FILE is no longer the one that the run found when it began.
 */
export async function endRun(
  run: Run,
  one: Export,
  runFile: RunFile,
  checks: ArchiveRecord['checks'],
  below: Archive | null = null,
): Promise<void> {
  const { folder, name, target, id, context } = one;
  const { request, replaces } = runFile.header;
  const expected = replaces && target.stats !== null ? markOf(target.stats) : null;
  const next = below === null ? moveAway(one) : `${sameCommand(one)} to resume`;
  const assertSame = (): void => assertUnchanged(target, expected, next);
  assertSame();
  using file = new AtomicFile(target, folder.at(newFileName(name)));
  const write = (chunk: string | Buffer): void => file.write(chunk);
  if (request.format !== 'ndjson' || request.fields !== null) await renderView(run, one, runFile, write);
  else for await (const chunk of runFile.rows(context.stop)) write(chunk);
  await below?.copy(write);
  const mark = markOf(file.close());
  const entries = runFile.position.entries + (below?.entries ?? 0);
  const record = { reference: one.keptReference, id, ...mark, entries, checks };
  const end = { ...mark, record: isArchive(request) ? record : null };
  runFile.addEnd(end);
  assertSame();
  file.commit();
  recordEnd(one, runFile, end);
}

/**
 * Throws `failed` for the reference, with this next, unless the target is still the `expected` file (null: there is none, or
 * an empty one).
 */
export function assertUnchanged(target: Target, expected: FileMark | null, next: string): void {
  const stats = lstatSync(target.real, { throwIfNoEntry: false }) ?? null;
  if (expected === null ? stats === null || (stats.isFile() && stats.size === 0) : hasMark(stats, expected))
    return;
  const what = expected === null ? 'appeared' : 'was changed or removed';
  throw new Failure('failed', `${target.path} ${what} during this export; it was left as it is`, {
    scope: 'reference',
    next,
  });
}

/** The last steps of a run whose new FILE is in its place. */
export function recordEnd({ folder, name }: Export, runFile: RunFile, { record }: RunEnd): void {
  if (record === null) folder.remove(recordName(name));
  else writeRecord(folder, name, record);
  guardFile(folder.path, 'write', () => syncFolder(folder.path));
  runFile.remove();
}

/** Renders the entries of a run in the format of its request. */
async function renderView(
  run: Run,
  { context, label, reference, operation, options, format }: Export,
  runFile: RunFile,
  write: (text: string | Buffer) => void,
): Promise<void> {
  const { hasMore, token } = runFile.position;
  const { info } = runFile;
  const warnings = await render(
    () => entriesOf(linesOf(runFile.rows(context.stop)), parseRow),
    true,
    {
      ...{ format, operation, fields: parseFields(options.fields, operation), terminal: null },
      item: { reference },
      info: info === null ? null : JsonText.of(info),
      end: { hasMore, token: hasMore ? token : null, failure: null },
    },
    write,
  );
  for (const message of warnings) run.warn(`format: ${message.split(':', 1)}`, label, message);
}

function parseRow(line: Buffer | null): JsonText {
  const entry = line === null ? null : JsonText.parse(line);
  if (entry === null) throw new Failure('failed', 'a row of the interrupted run cannot be read back');
  return entry;
}

/** The result of an export that failed, which the record of an archive notes. After a paid page it is no usage error. */
export function failedExport(
  run: Run,
  one: Exports & Reference & Pick<Export, 'name' | 'record'>,
  thrown: unknown,
  facts: Partial<Result> = {},
): Result {
  const { id, context, folder, name, tally } = one;
  const cause = toFailure(thrown);
  if (cause.code === 'usage') {
    const changes = { scope: 'reference' as const, ...(tally.paidRequests > 0 && { exit: 1 as const }) };
    return resultOf(one, { ...facts, failure: cause.with(changes) });
  }
  // A record of another ID stays: it describes FILE.
  const record = one.record?.id === id ? one.record : null;
  const checked = record?.checks.checked ?? null;
  // It was exported before: no spelling mistake.
  const failure =
    cause.code === 'not_found' && checked !== null
      ? new Failure('gone', `gone: last seen on ${checked.slice(0, 10)}`, { status: cause.status })
      : cause;
  const checks = record && checksAfterFailure(record.checks, failure, context.clock.now());
  if (record !== null && checks !== null) writeRecord(folder, name, { ...record, checks });
  const isSpent = failure.code === 'budget' && run.budget.allowsNothing;
  const { pages, resumed = 0 } = facts;
  const hasPages = pages === undefined ? tally.paidRequests > 0 : pages + resumed > 0;
  // A failure of this export alone leaves pages to resume after if there is a token.
  const isResumable = failure.scope === 'reference' ? Boolean(facts.token) : hasPages && !isSpent;
  const shown = isResumable ? failure.resumableWith(`${sameCommand(one)} to resume`) : failure;
  return resultOf(one, { ...facts, failure: shown });
}
