import { ByteWriter, COMMA, LINE_FEED } from '../json/byte-writer.ts';
import { JsonText, quoteJson } from '../json/json-text.ts';
import { entryWriter } from './fields.ts';
import type { FormatOptions, Item, Writer } from './format.ts';
import { records, withList } from './records.ts';

/** One valid JSON document, however the run ends: a page envelope, a body, or an array of records. */
export function jsonFormat({ operation, fields, several, terminal }: FormatOptions): Writer {
  const write = entryWriter(fields);
  const out = new ByteWriter();
  const indented = terminal === null ? null : indenter();
  const indent = (text: string): string => indented?.(text) ?? text;
  const isArray = operation.body === 'records';
  let bracket = '[';
  let isFirst = true;

  const before = (item: Item): string => {
    if (!several) return '';
    const opening = `${bracket}{"reference":${quoteJson(item.reference)},"result":`;
    bracket = ',';
    return opening;
  };
  const after = several ? '}' : '\n';

  const listed = (item: Item, entries: readonly JsonText[]): Buffer => {
    for (const entry of entries) {
      if (!isFirst) out.byte(COMMA);
      isFirst = false;
      write(out, entry, item);
    }
    return out.take();
  };

  const picked = (item: Item, body: JsonText): string => {
    if (fields === null) return body.toString();
    const found = records(body, operation.body);
    isFirst = true;
    const list = listed(item, found.records).toString();
    return found.list === null ? list : withList(body, found, `[${list}]`);
  };

  return {
    open: (item, info) => {
      isFirst = true;
      return indent(isArray ? '[' : `${before(item)}{"playlist_info":${info},"results":[`);
    },
    rows: (item, entries) => {
      const text = listed(item, entries);
      return indented === null ? text : indented(text.toString());
    },
    close: (_item, { token, hasMore, failure }) => {
      const end = { continuation_token: token, has_more: hasMore, ...(failure && { error: failure }) };
      return indent(isArray ? ']\n' : `],${quoteJson(end).slice(1)}${after}`);
    },
    body: (item, body) => indent(`${before(item)}${picked(item, body)}${after}`),
    failed: (item, failure) => indent(`${before(item)}${quoteJson({ error: failure })}${after}`),
    tail: () => indent(several ? `${bracket === '[' ? '[' : ''}]\n` : ''),
  };
}

/** NDJSON: one entry per line, as the service sent it, without white space between tokens. */
export function ndjsonFormat({ fields }: FormatOptions): Writer {
  const write = entryWriter(fields);
  const out = new ByteWriter();
  return {
    rows: (item, entries) => {
      if (fields === null) JsonText.writeLines(entries, out);
      else
        for (const entry of entries) {
          write(out, entry, item);
          out.byte(LINE_FEED);
        }
      return out.take();
    },
  };
}

/** An escape, a token that changes the line or the depth, or what is between them. */
const token = /\\.|["{}[\],:]|[^\\"{}[\],:]+/gs;

/** A function that indents a compact JSON text, given in pieces; every string, number and word stays as it is. */
function indenter(): (text: string) => string {
  let depth = 0;
  let isString = false;
  /** The last token opened an array or object: its first part begins a line. */
  let isOpened = false;
  const line = (): string => `\n${'  '.repeat(depth)}`;
  return (text) =>
    text.replace(token, (found) => {
      const isPlain = isString;
      if (found === '"') isString = !isString;
      if (isPlain) return found;
      const isEnd = found === '}' || found === ']';
      if (isEnd) depth--;
      const before = isOpened === isEnd ? '' : line();
      isOpened = found === '{' || found === '[';
      if (isOpened) depth++;
      return before + found + (found === ',' ? line() : found === ':' ? ' ' : '');
    });
}
