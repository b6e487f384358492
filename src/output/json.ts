import { ByteWriter, COMMA, LINE_FEED } from '../json/byte-writer.ts';
import { quoteJson } from '../json/json-text.ts';
import { entryWriter } from './fields.ts';
import type { EntrySource, FormatOptions, Writer } from './format.ts';

/** Creates one valid JSON document, however the run ends. For several references it is an array of their documents. */
export function jsonFormat({ fields, hasSeveral, terminal }: FormatOptions): Writer {
  const write = entryWriter(fields);
  const out = new ByteWriter();
  const indented = terminal === null ? null : indenter();
  const indent = (text: string): string => indented?.(text) ?? text;
  let hasReference = false;
  let isFirst = true;

  const start = (source: EntrySource): string => {
    isFirst = true;
    if (!hasSeveral) return '';
    const before = hasReference ? ',' : '[';
    hasReference = true;
    return `${before}{"reference":${quoteJson(source.given)},"result":`;
  };
  const end = hasSeveral ? '}' : '\n';

  return {
    open: (source, before) => indent(start(source) + before),
    rows: (source, entries) => {
      for (const entry of entries) {
        if (!isFirst) out.byte(COMMA);
        isFirst = false;
        write(out, entry, source);
      }
      const bytes = out.take();
      return indented === null ? bytes : indented(bytes.toString());
    },
    close: (_source, after) => indent(after + end),
    failed: (source, failure) => indent(start(source) + quoteJson({ error: failure }) + end),
    tail: () => {
      if (!hasSeveral) return '';
      return indent(hasReference ? ']\n' : '[]\n');
    },
  };
}

/** Creates NDJSON: one entry per line, as the service sent it, without white space between tokens. */
export function ndjsonFormat({ fields }: FormatOptions): Writer {
  const write = entryWriter(fields);
  const out = new ByteWriter();
  return {
    rows: (source, entries) => {
      for (const entry of entries) {
        write(out, entry, source);
        out.byte(LINE_FEED);
      }
      return out.take();
    },
  };
}

/** Matches an escape, a token that changes the line or the depth, or the text between such tokens. */
const token = /\\.|["{}[\],:]|[^\\"{}[\],:]+/gs;

/** Returns a function that indents a compact JSON text, given in pieces. Strings, numbers and words stay as they are. */
function indenter(): (text: string) => string {
  let depth = 0;
  let isString = false;
  /** True if the last token opened an array or object, whose first part then begins a line. */
  let isOpened = false;
  const line = (): string => `\n${'  '.repeat(depth)}`;
  return (text) =>
    text.replace(token, (found) => {
      const isPlain = isString;
      if (found === '"') isString = !isString;
      if (isPlain) return found;
      const isEnd = found === '}' || found === ']';
      if (isEnd) depth--;
      // A line begins after an opening bracket and before a closing one, but not between the brackets of an empty pair.
      const needsLine = isOpened !== isEnd;
      const before = needsLine ? line() : '';
      isOpened = found === '{' || found === '[';
      if (isOpened) depth++;
      return before + found + (found === ',' ? line() : found === ':' ? ' ' : '');
    });
}
