import type { Failure } from '../errors.ts';
import { JsonText, quoteJson } from '../json/json-text.ts';
import { recordPicker } from './fields.ts';
import type { FormatOptions, Item, ListingEnd, Writer } from './format.ts';
import { bodyRecords, withList } from './records.ts';

/**
 * One valid JSON document, however the call ends. A listing is the page envelope (service specification, 2.4)
 * with all pages in it; several references are an array of `{"reference", "result"}`.
 */
export function jsonFormat({ operation, fields, several }: FormatOptions): Writer {
  const pick = fields === null ? null : recordPicker(fields, operation);
  const print = (item: Item) => (entry: JsonText) => (pick === null ? entry.toString() : pick(entry, item));

  let comma = '';
  const before = (item: Item): string => {
    if (!several) return '';
    const reference = item.reference === null ? null : quoteJson(item.reference);
    const opening = `${comma}{"reference":${reference},"result":`;
    comma = ',';
    return opening;
  };
  const after = several ? '}' : '\n';

  const picked = (item: Item, body: JsonText): string => {
    if (pick === null) return body.toString();
    const found = bodyRecords(operation, body);
    if (found.list === null) return pick(body, item);
    return withList(body, found, `[${found.records.map(print(item)).join(',')}]`);
  };

  return {
    separator: ',',
    head: () => (several ? '[' : ''),
    open: (item, info) => `${before(item)}{"playlist_info":${info},"results":[`,
    rows: (item, entries) =>
      (pick === null ? JsonText.run(entries) : null) ?? entries.map(print(item)).join(','),
    close: (_item, end) => `]${ending(end)}}${after}`,
    body: (item, body) => `${before(item)}${picked(item, body)}${after}`,
    failed: (item, failure) => `${before(item)}{"error":${errorText(failure)}}${after}`,
    tail: () => (several ? ']\n' : ''),
  };
}

/** Failures of a first page that mean that there is no such list. */
const noListCodes: ReadonlySet<string> = new Set(['not_found', 'usage', 'refused']);

function ending(end: ListingEnd): string {
  const { token, failure } = end;
  const isAbsent = token === null && failure !== null && noListCodes.has(failure.code);
  const hasMore = end.hasMore && !isAbsent;
  const continuation = token === null ? null : quoteJson(token);
  const error = failure === null ? '' : `,"error":${errorText(failure)}`;
  return `,"continuation_token":${continuation},"has_more":${hasMore}${error}`;
}

function errorText(failure: Failure): string {
  const { code, status, message } = failure.toJSON();
  return `{"code":${quoteJson(code)},"status":${status},"message":${quoteJson(message)}}`;
}
