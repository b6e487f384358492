import type { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Operation } from '../service/contract.ts';

export interface EntrySource {
  /** The reference as the user gave it, and as `_reference` prints it; null for a continuation token or a file. */
  readonly given: string | null;
  /** The handle, ID or address that is sent to the service. The column `reference` of a table shows it. */
  readonly value?: string;
}

export interface Field {
  readonly name: string;
  /** Keys and indices to follow; null for `*` and for a computed field. */
  readonly path: readonly string[] | null;
}

/** Describes the printed entries: of an operation, of files, or of a report about this machine. */
export interface EntryShape extends Pick<Operation, 'fields' | 'documentedFields' | 'idField'> {
  readonly body: Operation['body'] | 'rows';
}

/** The terminal of a stream, with at least 1 column; null elsewhere, where nothing is truncated, sanitized, indented or coloured. */
export type Terminal = { readonly columns: number; readonly color: boolean } | null;

export interface FormatOptions {
  readonly shape: EntryShape;
  /** `--fields`; null for the default of each format. */
  readonly fields: readonly Field[] | null;
  /** True for several references or `--from`: JSON is then an array of `{"reference", "result"}`. */
  readonly hasSeveral: boolean;
  /** Terminal columns that the longest reference takes. */
  readonly referenceWidth?: number;
  readonly terminal: Terminal;
  /** True for records of this machine: a table that does not fit is then printed with one line per field. */
  readonly isReport?: boolean;
  /** For a table: the entries that decide its columns; by default those of the first page. */
  readonly sample?: readonly JsonText[];
  /** For csv: the columns if they are known beforehand; by default the first page decides. */
  readonly columns?: readonly Field[] | null;
}

/** A piece of the output: text or, to avoid decoding what is only copied, UTF-8 bytes. */
export type Chunk = string | Buffer;

/**
 * Makes the text of one output format. Its functions return what to write next and keep no streams. Order of calls: for each
 * reference either `open`, `rows` for each page and `close`, or only `failed`; at the end of the output `tail`.
 */
export interface Format {
  /** `before` is what a json document has before the entries (document.ts). */
  open(source: EntrySource, before: string): string;
  /** A Buffer is valid until the next call. `mayFollow`: whether entries may follow (by default not after a single response). */
  rows(source: EntrySource, entries: readonly JsonText[], mayFollow?: boolean): Chunk;
  close(source: EntrySource, after: string): string;
  failed(source: EntrySource, failure: Failure): string;
  tail(): string;
  /** Returns warnings about the output, one per cause; called at the end. */
  warnings(): string[];
}

/** What the file of a format defines: `rows`, and the functions that differ from the defaults in formats.ts. */
export type Writer = Pick<Format, 'rows'> & Partial<Format>;
