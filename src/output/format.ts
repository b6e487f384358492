import type { Operation } from '../api/contract.ts';
import type { Failure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Field } from './fields.ts';
import type { Item } from './item.ts';

export const formatNames = ['table', 'json', 'ndjson', 'csv', 'id'] as const;
export type FormatName = (typeof formatNames)[number];

/** How the listing of one reference ended. */
export interface ListingEnd {
  /** False only where the service said that there is nothing more. */
  readonly hasMore: boolean;
  /** Token of the first page not wholly printed; null where that is the first page, or all is printed. */
  readonly token: string | null;
  readonly failure: Failure | null;
}

/** What a stream that is a terminal can do. */
export interface Terminal {
  /** Width in columns, at least 1. */
  readonly columns: number;
  readonly color: boolean;
  /** The cursor can be moved (not under TERM=dumb): keeps columns straight behind text of disputed width. */
  readonly cursor?: boolean;
}

export interface FormatOptions {
  readonly operation: Operation;
  /** `--fields`, or null: each format's own default. */
  readonly fields: readonly Field[] | null;
  /** Several references or `--from`: JSON becomes an array of `{"reference", "result"}`. */
  readonly several: boolean;
  /** Of stdout, where that is a terminal; null: nothing is cut, made safe or coloured. */
  readonly terminal: Terminal | null;
  /** All references of the call, where they are known: a table makes room for the longest. */
  readonly references?: readonly string[];
}

/** Text, or the same in UTF-8: what is only passed on need not be decoded. */
export type Text = string | Buffer;

/** Two texts, one behind the other. */
export function joined(first: string, second: Text): Text {
  return first === '' ? second : first + second.toString();
}

/**
 * Text of one output format. Functions return what to write next and keep no streams. Order of calls:
 * `head`, then for each reference `open`, `rows` for each page, `close` (listings) or one of `body` and
 * `failed`; at last `tail`.
 */
export interface Format {
  head(): string;
  /** Before the first page of a listing; `info` is that page's playlist_info, null where nothing arrived. */
  open(item: Item, info: JsonText | null): string;
  /** Entries of a page; `first`: how many entries of this reference were written before. */
  rows(item: Item, entries: readonly JsonText[], first: number): string;
  /**
   * The same where it is nothing but a copy of the service's own bytes; null where it is not. Good until it is
   * called again.
   */
  copiedRows?(entries: readonly JsonText[]): Buffer | null;
  close(item: Item, end: ListingEnd): string;
  /** A whole answer (resolve, search, latest). */
  body(item: Item, body: JsonText): string;
  /** In place of `body` where no answer came. */
  failed(item: Item, failure: Failure): string;
  tail(): string;
  /** What the user should know about the output, once it is complete; may hold remote text. */
  warnings?(): string[];
}
