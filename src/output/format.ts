import type { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Operation } from '../service/contract.ts';

export interface Item {
  /** As the user gave it: the value of the field `_reference`; null if there is none (a continuation token, a file). */
  readonly reference: string | null;
  /** The handle, ID or address in it. */
  readonly value?: string;
}

export interface Field {
  readonly name: string;
  /** Keys and indices to follow; null for `*` and for a computed field. */
  readonly path: readonly string[] | null;
}

export interface ListingEnd {
  /** False only if the service said that there is nothing more. */
  readonly hasMore: boolean;
  /** Token of the first page not fully printed; null if that is the first page, or all is printed. */
  readonly token: string | null;
  readonly failure: Failure | null;
}

/** The shape of the printed records: those of an operation, of files, or of the program itself. */
export interface RecordShape extends Pick<Operation, 'fields' | 'documentedFields' | 'idField'> {
  /** `records`: the records alone, which json prints as an array. */
  readonly body: Operation['body'] | 'records';
}

export interface FormatOptions {
  readonly operation: RecordShape;
  /** `--fields`, or null: each format's own default. */
  readonly fields: readonly Field[] | null;
  /** Several references or `--from`: JSON becomes an array of `{"reference", "result"}`. */
  readonly several: boolean;
  /** Columns that the longest reference needs. */
  readonly referenceWidth?: number;
  /** Of stdout, if that is a terminal, of at least 1 column; null: nothing is cut, sanitized, indented or coloured. */
  readonly terminal: { readonly columns: number; readonly color: boolean } | null;
  /** Records of this machine: a table that does not fit has a line per field. */
  readonly isReport?: boolean;
  /** csv: the columns, if they are decided beforehand; else the first page decides. */
  readonly columns?: readonly Field[] | null;
}

/** Text, or the same in UTF-8: bytes that are only copied are not decoded. */
export type Text = string | Buffer;

/**
 * Text of one output format. Functions return what to write next and keep no streams. Order of calls:
 * for each reference `open`, `rows` for each page, `close` (listings) or one of `body` and `failed`; finally `tail`.
 */
export interface Format {
  /** Whether it reads members of entries (`Client.readsMembers`). */
  readonly readsMembers: boolean;
  /** Before the first page of a listing; `info` is that page's playlist_info, null if nothing arrived. */
  open(item: Item, info: JsonText | null): string;
  /** Entries of a page; a Buffer is valid until the next call, and a copy of the service's bytes. */
  rows(item: Item, entries: readonly JsonText[]): Text;
  close(item: Item, end: ListingEnd): string;
  /** A whole response (resolve, search, latest). */
  body(item: Item, body: JsonText): Text;
  failed(item: Item, failure: Failure): string;
  tail(): string;
  /** Warnings about the output, one per cause: requested at the end. */
  warnings(): string[];
}

/** What the file of a format defines: `rows`, and whatever differs from the defaults in formats.ts. */
export type Writer = Pick<Format, 'rows'> & Partial<Omit<Format, 'readsMembers'>>;
