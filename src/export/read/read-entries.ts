import { videoFields } from '../../api/contract.ts';
import { usage } from '../../errors.ts';
import { JsonListScanner, NoListing } from '../../json/list-scanner.ts';
import type { Field } from '../../output/fields.ts';
import type { FormatName } from '../../output/format.ts';
import { CellsRecord, type FileRecord, JsonRecord } from './file-record.ts';
import { type Line, readCsvRecords, readLines } from './read-lines.ts';
import { notWhole, readTexts } from './read-text.ts';

/** The formats that an export can have. */
export type FileFormat = Exclude<FormatName, 'table'>;

export interface ReadOptions {
  /** Look into every entry, so that a damaged one is found (default); otherwise only into those that are asked. */
  readonly check?: boolean;
}

/**
 * The entries of a complete FILE in the file's order, in batches; memory stays flat. `fields`: `--fields`, or
 * null. A file of no bytes has no entries. Throws usage errors (2) that name FILE, the line and `--restart`: cut
 * short, an entry that is not valid, other columns than expected, a JSON listing that says that there is more.
 */
export async function* readEntries(
  path: string,
  format: FileFormat,
  fields: readonly Field[] | null,
  { check = true }: ReadOptions = {},
): AsyncGenerator<FileRecord[], void> {
  switch (format) {
    case 'ndjson':
      yield* readNdjson(path, fields, check);
      return;
    case 'json':
      yield* readJson(path, fields, check);
      return;
    case 'csv':
      yield* readCsv(path, fields, check);
      return;
    case 'id':
      yield* readIds(path, fields, check);
  }
}

async function* readNdjson(
  path: string,
  fields: readonly Field[] | null,
  check: boolean,
): AsyncGenerator<FileRecord[], void> {
  const checkEntry = entryChecker(path, fields);
  for await (const lines of readLines(path)) {
    yield lines.map(({ text, number, ended }) => {
      const record = new JsonRecord(text);
      if (check || number === 1 || !ended) {
        checkEntry(record, () => notWhole(path, number, ended ? 'not valid JSON' : 'cut short'));
      }
      return record;
    });
  }
}

async function* readJson(
  path: string,
  fields: readonly Field[] | null,
  check: boolean,
): AsyncGenerator<FileRecord[], void> {
  const checkEntry = entryChecker(path, fields);
  const scanner = new JsonListScanner();
  let entries = 0;
  let empty = true;
  try {
    for await (const text of readTexts(path)) {
      empty = false;
      const elements = scanner.push(text);
      if (elements.length === 0) continue;
      yield elements.map((element) => {
        entries++;
        const record = new JsonRecord(element.text);
        if (check || entries === 1) {
          checkEntry(record, () => notWhole(path, element.line, `entry ${entries} is not valid JSON`));
        }
        return record;
      });
    }
    if (empty) return;
    const { has_more: hasMore, continuation_token: token } = scanner.end();
    if (hasMore !== false || (token ?? null) !== null) {
      throw notWhole(path, scanner.line, 'the listing is not complete (has_more is not false)');
    }
  } catch (error) {
    if (error instanceof NoListing) throw notWhole(path, scanner.line, error.message);
    throw error;
  }
}

async function* readCsv(
  path: string,
  fields: readonly Field[] | null,
  check: boolean,
): AsyncGenerator<FileRecord[], void> {
  const columns = fields?.map((field) => field.name) ?? videoFields;
  const places = idColumns(columns);
  let header = true;
  for await (const lines of readCsvRecords(path)) {
    const records: FileRecord[] = [];
    for (const line of lines) {
      const record = new CellsRecord(line.text, places);
      checkEnd(path, line);
      if (header) checkColumns(path, record.cells ?? [], columns);
      else {
        if (check) checkCells(path, line, record, columns);
        records.push(record);
      }
      header = false;
    }
    if (records.length > 0) yield records;
  }
}

async function* readIds(
  path: string,
  fields: readonly Field[] | null,
  check: boolean,
): AsyncGenerator<FileRecord[], void> {
  const columns = fields?.map((field) => field.name) ?? ['videoId'];
  const places = idColumns(columns);
  const split = (text: string): string[] => (columns.length === 1 ? [text] : text.split('\t'));
  for await (const lines of readLines(path)) {
    yield lines.map((line) => {
      const record = new CellsRecord(line.text, places, split);
      checkEnd(path, line);
      if (check) checkCells(path, line, record, columns);
      return record;
    });
  }
}

const idColumns = (columns: readonly string[]): { videoId: number; channelId: number } => ({
  videoId: columns.indexOf('videoId'),
  channelId: columns.indexOf('channelId'),
});

function checkEnd(path: string, { number, ended }: Line): void {
  if (!ended) throw notWhole(path, number, 'cut short: the last line has no end');
}

function checkCells(
  path: string,
  { number }: Line,
  { cells }: CellsRecord,
  columns: readonly string[],
): void {
  if (cells === null) throw notWhole(path, number, 'not valid CSV');
  if (cells.length !== columns.length) {
    throw notWhole(path, number, `${cells.length} fields instead of ${columns.length}`);
  }
}

/** A check that an entry is valid JSON, and that the first one has the fields of `--fields` and no others. */
function entryChecker(
  path: string,
  fields: readonly Field[] | null,
): (record: JsonRecord, invalid: () => Error) => void {
  let first = fields !== null;
  return (record, invalid) => {
    let keys: string[];
    try {
      keys = first ? Object.keys(record.value) : [];
      if (!first) void record.value;
    } catch {
      throw invalid();
    }
    if (!first || fields === null) return;
    first = false;
    const columns = fields.map((field) => field.name);
    if (keys.length !== columns.length || columns.some((name) => !keys.includes(name))) {
      throw otherColumns(path, keys, columns);
    }
  };
}

function checkColumns(path: string, found: readonly string[], expected: readonly string[]): void {
  if (found.length !== expected.length || found.some((name, i) => name !== expected[i])) {
    throw otherColumns(path, found, expected);
  }
}

function otherColumns(path: string, found: readonly string[], expected: readonly string[]): Error {
  return usage(
    `${path}: its fields are ${found.join(',')}, not ${expected.join(',')}`,
    'give the --fields that it was exported with, or export it anew with --restart',
  );
}
