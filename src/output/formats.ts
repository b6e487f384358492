import { excerpt } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { absentFields } from './fields.ts';
import type { Format, FormatOptions, Writer } from './format.ts';
import { bodyRecords } from './records.ts';

/** A row of the table of formats. */
interface FormatRow {
  /** Extensions of `-o` that select it. */
  readonly extensions: readonly string[];
  /** Its description in the help. */
  readonly meaning: string;
  readonly writer: () => Promise<(options: FormatOptions) => Writer | Promise<Writer>>;
}

/** The output formats: one row per format. Each loads only its own file. */
export const formats = {
  table: {
    extensions: [],
    meaning: 'for people: fits the terminal; not truncated elsewhere; not with -o',
    writer: async () => (await import('./table.ts')).tableFormat,
  },
  json: {
    extensions: ['json'],
    meaning:
      "one valid document, also after an error. A listing is the service's envelope with all pages in it; " +
      'if it was cut short, has_more is true and continuation_token is where to resume (null: the first page)',
    writer: async () => (await import('./json.ts')).jsonFormat,
  },
  ndjson: {
    extensions: ['ndjson', 'jsonl'],
    meaning:
      'one entry per line: exactly the fields that the service sent, in its order, numbers digit for digit',
    writer: async () => (await import('./ndjson.ts')).ndjsonFormat,
  },
  csv: {
    extensions: ['csv'],
    meaning: 'a header row, then one entry per row (RFC 4180, LF); nested values as JSON',
    writer: async () => (await import('./csv.ts')).csvFormat,
  },
  id: {
    extensions: [],
    meaning: 'one videoId per line (resolve: channel_id)',
    writer: async () => (await import('./id.ts')).idFormat,
  },
} as const satisfies Record<string, FormatRow>;

export type FormatName = keyof typeof formats;

/** The formats that a file can have. */
export type FileFormat = Exclude<FormatName, 'table'>;

export const formatNames = Object.keys(formats) as readonly FormatName[];

/** The format that an extension of `-o` (without its dot) selects. */
export function formatByExtension(extension: string): FormatName | undefined {
  return formatNames.find((name) => (formats[name].extensions as readonly string[]).includes(extension));
}

export const fileFormats: readonly FileFormat[] = formatNames.filter((name) => name !== 'table');

const endings = fileFormats.flatMap((name) => [name, ...formats[name].extensions]);
/** Names of exports of `--output-dir`: an ID and a format. */
export const exportName = new RegExp(`^(?:UC|PL|UU|LL|FL|OL)[\\w-]+\\.(?:${endings.join('|')})$`);

/** The format of that name; it also warns about paths of `--fields` that no entry on the first page has. */
export async function createFormat(name: FormatName, options: FormatOptions): Promise<Format> {
  const { operation, fields, columns } = options;
  const writer = await (await formats[name].writer())(options);
  let absent: readonly string[] | null = null;
  const check = (entries: readonly JsonText[]): void => {
    if (fields !== null && !columns && entries.length > 0) absent ??= absentFields(fields, entries);
  };
  return {
    head: () => '',
    open: () => '',
    close: () => '',
    failed: () => '',
    tail: () => '',
    columns: () => null,
    ...writer,
    rows: (item, entries) => {
      check(entries);
      return writer.rows(item, entries);
    },
    body: (item, body) => {
      const { records } = bodyRecords(operation, body);
      check(records);
      return writer.body?.(item, body) ?? writer.rows(item, records);
    },
    warnings: () => {
      const names = (absent ?? []).join(', ');
      const warning = `--fields: no entry on the first page has ${excerpt(names)}`;
      return [...(writer.warnings?.() ?? []), ...(names === '' ? [] : [warning])];
    },
  };
}
