import { type OperationName, resolveFields, videoFields } from '../api/contract.ts';
import type { JsonText } from '../json/json-text.ts';
import { sanitize } from '../text/sanitize.ts';
import { csvLine } from './csv-line.ts';
import { asText, type Field, memberFields, picker } from './fields.ts';
import type { Format, FormatOptions } from './format.ts';
import type { Item } from './item.ts';
import { bodyRecords, memberMap, recordKeys } from './records.ts';

/** Columns of records of an unknown shape: a service that sends ever new keys must not fill the memory with commas. */
const mostColumns = 1000;

/**
 * CSV (RFC 4180, with LF) with a header row. Columns are `--fields`, else the specified fields; where the
 * specification shows none (search, latest) the keys of the first answer's records.
 */
export function csvFormat(options: FormatOptions): Format {
  const specified = options.fields ?? specifiedFields(options.operation.name);
  const pick = specified === null ? null : picker(specified);
  const text = options.terminal === null ? (cell: string) => cell : sanitize;
  const line = (cells: readonly string[]): string => csvLine(cells.map(text));
  const lines = (item: Item, entries: readonly JsonText[]): string => {
    if (pick === null) return '';
    let out = '';
    for (const entry of entries) out += line(pick(entry, item).map(asText));
    return out;
  };

  let observed: string[] | null = null;
  const leftOut = new Set<string>();
  let listed = false;
  const observedLines = (entries: readonly JsonText[]): string => {
    const keys = recordKeys(entries);
    let out = '';
    if (observed === null) {
      // An empty list says nothing about the columns: the next one may.
      if (entries.length === 0) return '';
      observed = keys.length > 0 ? keys.slice(0, mostColumns) : [...videoFields];
      out = line(observed);
    }
    const columns = new Set(observed);
    for (const key of keys) if (!columns.has(key)) leftOut.add(key);
    for (const entry of entries) {
      const members = memberMap(entry);
      out += line(observed.map((key) => asText(members.get(key) ?? null)));
    }
    return out;
  };

  return {
    head: () => (specified === null ? '' : line(specified.map((field) => field.name))),
    open: () => '',
    rows: lines,
    close: () => '',
    body: (item, body) => {
      listed = true;
      const entries = bodyRecords(options.operation, body).records;
      return specified === null ? observedLines(entries) : lines(item, entries);
    },
    failed: () => '',
    tail: () => (specified === null && observed === null && listed ? line(videoFields) : ''),
    warnings: () => (leftOut.size === 0 ? [] : [leftOutWarning([...leftOut])]),
  };
}

function specifiedFields(operation: OperationName): Field[] | null {
  switch (operation) {
    case 'resolve':
      return memberFields(resolveFields);
    case 'search':
    case 'latest':
      return null;
    case 'uploads':
    case 'playlist':
      return memberFields(videoFields);
  }
}

function leftOutWarning(keys: readonly string[]): string {
  const named = keys.slice(0, 10).join(', ');
  const more = keys.length > 10 ? ` and ${keys.length - 10} more` : '';
  return `csv: fields that the first answer did not have are left out: ${named}${more}; name the columns with --fields`;
}
