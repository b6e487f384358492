import type { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Operation } from '../service/contract.ts';

export interface EntrySource {
  /** As the user gave it, and as `_reference` prints it; null for a continuation token or a file. */
  readonly given: string | null;
  /** What the service is asked for: handle, ID or address. The column `reference` of a table shows it. */
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

/** The terminal of a stream, with at least 1 column; null if it is not a terminal: then nothing is cut, sanitized, indented or coloured. */
export type Terminal = { readonly columns: number; readonly color: boolean } | null;

export interface FormatOptions {
  readonly shape: EntryShape;
  /** `--fields`; null for the default of each format. */
  readonly fields: readonly Field[] | null;
  /** Several references or `--from`: JSON becomes an array of `{"reference", "result"}`. */
  readonly hasSeveral: boolean;
  /** Columns that the longest reference needs. */
  readonly referenceWidth?: number;
  readonly terminal: Terminal;
  /** Records of this machine: a table that does not fit has a line per field. */
  readonly isReport?: boolean;
  /** table: entries that decide its columns; else the first page does. */
  readonly sample?: readonly JsonText[];
  /** csv: the columns, if they are decided beforehand; else the first page decides. */
  readonly columns?: readonly Field[] | null;
}

/** A piece of the output: text, or UTF-8 bytes, which spares decoding what is only copied. */
export type Chunk = string | Buffer;

/**
 * Makes the text of one output format. Functions return what to write next and keep no streams. Order of calls: for each reference
 * `open`, `rows` for each page, `close`, or `failed` alone; finally `tail`.
 */
export interface Format {
  /** `before`: what a json document has before the entries (document.ts). */
  open(source: EntrySource, before: string): string;
  /** A Buffer is valid until the next call. `mayFollow`: whether entries may follow (default: not after a single response). */
  rows(source: EntrySource, entries: readonly JsonText[], mayFollow?: boolean): Chunk;
  close(source: EntrySource, after: string): string;
  failed(source: EntrySource, failure: Failure): string;
  tail(): string;
  /** Warnings about the output, one per cause: requested at the end. */
  warnings(): string[];
}

/** What the file of a format defines: `rows`, and the functions that differ from the defaults in formats.ts. */
export type Writer = Pick<Format, 'rows'> & Partial<Format>;
