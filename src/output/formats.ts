import { extname } from 'node:path';
import { asObject } from './fields.ts';
import type { Format, FormatOptions, Writer } from './format.ts';
import { absentWarning } from './parse-fields.ts';

/** The output formats: one row per format. Each file is loaded when it is used. */
export const formats = {
  table: {
    extensions: [],
    meaning:
      'for people: fits the terminal, unless --fields asks for more; not truncated elsewhere; not with -o',
    writer: async () => (await import('./table.ts')).tableFormat,
  },
  json: {
    extensions: ['json'],
    meaning:
      "one valid document, even after an error. A listing is the service's envelope with all pages in it; " +
      'if it was cut short, has_more is true and continuation_token is where to resume (null: the first page)',
    writer: async () => (await import('./json.ts')).jsonFormat,
  },
  ndjson: {
    extensions: ['ndjson', 'jsonl'],
    meaning:
      'one entry per line: exactly the fields that the service sent, in its order, numbers digit for digit',
    writer: async () => (await import('./json.ts')).ndjsonFormat,
  },
  csv: {
    extensions: ['csv'],
    meaning: 'a header row, then one entry per row (RFC 4180, LF); nested values as JSON',
    writer: async () => (await import('./csv.ts')).csvFormat,
  },
  id: {
    extensions: [],
    meaning: 'one videoId per line (resolve: channel_id)',
    writer: async () => (await import('./csv.ts')).idFormat,
  },
} as const;

export type FormatName = keyof typeof formats;

export type FileFormat = Exclude<FormatName, 'table'>;

export const formatNames = Object.keys(formats) as readonly FormatName[];

export const extensions = formatNames.flatMap((name) => formats[name].extensions.map((word) => `.${word}`));

/** Returns the format of a file extension; undefined if there is none. */
export function formatByPath(path: string): FormatName | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return formatNames.find((name) => (formats[name].extensions as readonly string[]).includes(extension));
}

export const fileFormats: readonly FileFormat[] = formatNames.filter((name) => name !== 'table');

/** Creates a format, which also warns about fields that no entry on the first page has. */
export async function createFormat(name: FormatName, options: FormatOptions): Promise<Format> {
  const { fields, columns, hasSeveral, shape } = options;
  const isPaged = shape.body === 'page' || shape.body === 'rows';
  const where = isPaged ? ' on the first page' : hasSeveral ? ' of the first response' : '';
  const createWriter = await formats[name].writer();
  const writer: Writer = createWriter(options);
  const isAsSent = fields === null && ['json', 'ndjson'].includes(name);
  let isFirstPage = true;
  let absent: string | null = null;
  return {
    open: () => '',
    close: () => '',
    failed: () => '',
    tail: () => '',
    ...writer,
    rows: (source, sent, mayFollow = hasSeveral || isPaged) => {
      const entries = isAsSent ? sent : sent.map(asObject);
      if (isFirstPage && fields !== null && !columns && entries.length > 0) {
        absent = absentWarning(fields, entries, where);
        isFirstPage = false;
      }
      return writer.rows(source, entries, mayFollow);
    },
    warnings: () => [...(writer.warnings?.() ?? []), ...(absent === null ? [] : [absent])],
  };
}
