import type { Failure } from '../errors.ts';
import { indenter } from '../json/indent.ts';
import { JsonText, quoteJson } from '../json/json-text.ts';
import { isNoList } from '../service/pages.ts';
import { recordPicker } from './fields.ts';
import { type FormatOptions, type Item, joined, type ListingEnd, type Text, type Writer } from './format.ts';
import { bodyRecords, withList } from './records.ts';

/**
 * One valid JSON document, however the run ends; indented at a terminal. A listing is the page envelope (service
 * specification, 2.4) with all pages in it; several references are an array of `{"reference", "result"}`; records
 * that are no operation's are an array.
 */
export function jsonFormat({ operation, fields, several, terminal }: FormatOptions): Writer {
  const pick = fields === null ? null : recordPicker(fields, operation);
  const print = (item: Item) => (entry: JsonText) => (pick === null ? entry.toString() : pick(entry, item));
  const indent = terminal === null ? (text: string) => text : indenter();
  const isArray = operation.body === 'records';
  /** A page of the current reference has arrived. */
  let hasPage = false;
  /** Before the next reference, and before the next entry of this one. */
  let bracket = '[';
  let separator = '';

  const before = (item: Item): string => {
    if (!several) return '';
    const opening = `${bracket}{"reference":${JsonText.of(JSON.stringify(item.reference))},"result":`;
    bracket = ',';
    return opening;
  };
  const after = several ? '}' : '\n';

  const rows = (item: Item, entries: readonly JsonText[]): Text => {
    hasPage = true;
    if (entries.length === 0) return '';
    const opening = separator;
    separator = ',';
    const copied = pick === null && terminal === null ? JsonText.run(entries) : null;
    if (copied !== null) return joined(opening, copied);
    return indent(opening + entries.map(print(item)).join(','));
  };

  const picked = (item: Item, body: JsonText): string => {
    if (pick === null) return body.toString();
    const found = bodyRecords(operation, body);
    if (found.list === null) return pick(body, item);
    return withList(body, found, `[${found.records.map(print(item)).join(',')}]`);
  };

  const ending = (item: Item, { token, failure, hasMore }: ListingEnd): string => {
    // A page of a token is no first page.
    const isFirstPage = !hasPage && item.reference !== null;
    const isAbsent = isFirstPage && failure !== null && isNoList(failure);
    const error = failure === null ? '' : `,"error":${errorText(failure)}`;
    const continuation = token === null ? null : quoteJson(token);
    return `,"continuation_token":${continuation},"has_more":${hasMore && !isAbsent}${error}}`;
  };

  return {
    open: (item, info) => {
      hasPage = false;
      separator = '';
      return indent(isArray ? '[' : `${before(item)}{"playlist_info":${info},"results":[`);
    },
    rows,
    close: (item, end) => indent(isArray ? ']\n' : `]${ending(item, end)}${after}`),
    body: (item, body) => indent(`${before(item)}${picked(item, body)}${after}`),
    failed: (item, failure) => indent(`${before(item)}{"error":${errorText(failure)}}${after}`),
    tail: () => indent(several ? `${bracket === '[' ? '[' : ''}]\n` : ''),
  };
}

function errorText(failure: Failure): string {
  const { code, status, message } = failure.toJSON();
  return `{"code":${quoteJson(code)},"status":${status},"message":${quoteJson(message)}}`;
}
