import type { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Operation } from '../service/contract.ts';
import type { ColumnConstraint } from './layout.ts';

/** One reference of a call. */
export interface Item {
  /** As the user gave it: the value of the field `@reference`; null for a continuation token. */
  readonly reference: string | null;
  /** In exports of uploads: the date that `latest` gave for a video (`@published`); null if it is not known. */
  published?(videoId: string): string | null;
}

/** One field of `--fields`. */
export interface Field {
  /** As the user wrote it: the key in the output. */
  readonly name: string;
  /** Keys and indices to follow; null for `*` and for a computed field. */
  readonly path: readonly string[] | null;
}

/** What a listing does not hold. */
export interface Rest {
  /** False only if the service said that there is nothing more. */
  readonly hasMore: boolean;
  /** Token of the first page not fully printed; null if that is the first page, or all is printed. */
  readonly token: string | null;
}

/** How the listing of one reference ended. */
export interface ListingEnd extends Rest {
  readonly failure: Failure | null;
}

/** What a stream that is a terminal can do. */
export interface Terminal {
  /** Width in columns, at least 1. */
  readonly columns: number;
  readonly color: boolean;
  /** The cursor can be moved (not under TERM=dumb): keeps columns aligned after text of disputed width. */
  readonly cursor?: boolean;
}

/** A column of a table of records. */
export interface EntryColumn extends Pick<ColumnConstraint, 'dropIfTitleBelow' | 'flexible'> {
  readonly header: string;
  /** `number`: right, if all its values on the first page are numbers. */
  readonly align: 'left' | 'right' | 'number';
  /** Not made narrower than this, or its content, while other columns can shrink. */
  readonly minWidth?: number;
  /** Width to reserve for later entries, if the first page is narrower. */
  readonly reservedWidth?: number;
  /** Wider cells are cut, even if there is room. */
  readonly maxWidth?: number;
  readonly text: (entry: JsonText, item: Item) => string;
}

/** The shape of the printed records: those of an operation, or others. */
export interface RecordShape extends Pick<Operation, 'fields' | 'documentedFields' | 'idField' | 'answer'> {
  readonly name: string;
}

export interface FormatOptions {
  readonly operation: RecordShape;
  /** `--fields`, or null: each format's own default. */
  readonly fields: readonly Field[] | null;
  /** Several references or `--from`: JSON becomes an array of `{"reference", "result"}`. */
  readonly several: boolean;
  /** Of stdout, if that is a terminal; null: nothing is cut, sanitized or coloured. */
  readonly terminal: Terminal | null;
  /** All references of the call, if they are known: a table makes room for the longest. */
  readonly references?: readonly string[];
  /**
   * Formats with a header: the columns of an interrupted export, or of the file that an update extends. `head` returns
   * the header that they make; `rows` does not write it again.
   */
  readonly columns?: readonly string[] | null;
}

/** Text, or the same in UTF-8: bytes that are only copied are not decoded. */
export type Text = string | Buffer;

/** Concatenates two texts. */
export function joined(first: string, second: Text): Text {
  if (first === '') return second;
  return typeof second === 'string' ? first + second : Buffer.concat([Buffer.from(first), second]);
}

/**
 * Text of one output format. Functions return what to write next and keep no streams. Order of calls:
 * `head`, then for each reference `open`, `rows` for each page, `close` (listings) or one of `body` and
 * `failed`; finally `tail`.
 */
export interface Format {
  /** Text between two non-empty results of `rows` within one reference: '' or ','. */
  readonly separator: string;
  head(): string;
  /** Before the first page of a listing; `info` is that page's playlist_info, null if nothing arrived. */
  open(item: Item, info: JsonText | null): string;
  /** Entries of a page; a Buffer is valid until the next call, and a copy of the service's bytes. */
  rows(item: Item, entries: readonly JsonText[]): Text;
  close(item: Item, end: ListingEnd): string;
  /** A whole answer (resolve, search, latest). */
  body(item: Item, body: JsonText): Text;
  /** The head is written even if every reference failed. */
  readonly alwaysHasHead: boolean;
  /** In place of `body` if there is no answer. */
  failed(item: Item, failure: Failure): string;
  tail(): string;
  /** Warnings about the output; each is returned once. May hold remote text. */
  warnings(): string[];
  /** csv: the columns, once the first page has fixed them, so that a resumed export keeps them; else null. */
  columns(): readonly string[] | null;
}

/** The functions of a format that differ from the defaults (`plain` in formats.ts). */
export type Writer = Pick<Format, 'rows' | 'body'> & Partial<Format>;

/** An entry of a file that an export has written. */
export interface FileRecord {
  /** Its text unchanged, without line end (csv: the record; json: the element). Valid until the next batch is read. */
  readonly utf8: Buffer;
  /** Null if the entry has none. */
  readonly videoId: string | null;
  readonly channelId: string | null;
  /** Value of `@published`, if the file has that field. */
  readonly published: string | null;
}

/** How a file is read back. */
export interface ReaderOptions {
  /** `--fields` that it must have been exported with; null: none; undefined: any. */
  readonly fields: readonly Field[] | null | undefined;
  /** Check every entry; otherwise only the first one, the last one, and those whose values are read. */
  readonly check: boolean;
  /** Is given what the file says about its end, if its format says it (json). */
  onEnd?(rest: Rest): void;
}

/**
 * Reads the entries of a file in its order, in batches; memory use is constant. Throws `damaged` (`path:line: …`), and
 * a usage error for fields other than expected.
 */
export type Reader = (path: string, options: ReaderOptions) => AsyncGenerator<FileRecord[], void>;

/** Reads the columns in the header of a file; null if the file is empty. Throws `damaged`. */
export type HeaderReader = (path: string) => Promise<readonly string[] | null>;
