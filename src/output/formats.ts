import { excerpt } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { absentFields, lacksDates } from './fields.ts';
import type { Field, Format, FormatOptions, Item, RecordShape, Writer } from './format.ts';
import { bodyRecords, recordKeys } from './records.ts';

interface FormatRow {
  readonly extensions: readonly string[];
  readonly meaning: string;
  /** It reads members of entries also without `--fields`: they are found in the pass that checks a page. */
  readonly readsMembers: boolean;
  /** Its header has every key that occurs, if the entries can be read twice. */
  readonly needsAllKeys: boolean;
  readonly writer: () => Promise<(options: FormatOptions) => Writer | Promise<Writer>>;
}

/** The output formats: one row per format. Each loads only its own file. */
export const formats = {
  table: {
    extensions: [],
    meaning: 'for people: fits the terminal; not truncated elsewhere; not with -o',
    readsMembers: true,
    needsAllKeys: false,
    writer: async () => (await import('./table.ts')).tableFormat,
  },
  json: {
    extensions: ['json'],
    meaning:
      "one valid document, also after an error. A listing is the service's envelope with all pages in it; " +
      'if it was cut short, has_more is true and continuation_token is where to resume (null: the first page)',
    readsMembers: false,
    needsAllKeys: false,
    writer: async () => (await import('./json.ts')).jsonFormat,
  },
  ndjson: {
    extensions: ['ndjson', 'jsonl'],
    meaning:
      'one entry per line: exactly the fields that the service sent, in its order, numbers digit for digit',
    readsMembers: false,
    needsAllKeys: false,
    writer: async () => (await import('./lines.ts')).ndjsonFormat,
  },
  csv: {
    extensions: ['csv'],
    meaning: 'a header row, then one entry per row (RFC 4180, LF); nested values as JSON',
    readsMembers: true,
    needsAllKeys: true,
    writer: async () => (await import('./csv.ts')).csvFormat,
  },
  id: {
    extensions: [],
    meaning: 'one videoId per line (resolve: channel_id)',
    readsMembers: true,
    needsAllKeys: false,
    writer: async () => (await import('./lines.ts')).idFormat,
  },
} as const satisfies Record<string, FormatRow>;

export type FormatName = keyof typeof formats;

export type FileFormat = Exclude<FormatName, 'table'>;

export const formatNames = Object.keys(formats) as readonly FormatName[];

export function formatByExtension(extension: string): FormatName | undefined {
  return formatNames.find((name) => (formats[name].extensions as readonly string[]).includes(extension));
}

export const fileFormats: readonly FileFormat[] = formatNames.filter((name) => name !== 'table');

/** Names of archives of `--output-dir`: an ID. */
export const exportName = /^(?:UC|PL|UU|LL|FL|OL)[\w-]+\.ndjson$/;

/** The format of that name; it also warns about fields that no entry on the first page has. */
export async function createFormat(name: FormatName, options: FormatOptions): Promise<Format> {
  const { operation, fields, columns } = options;
  const writer = await (await formats[name].writer())(options);
  let warnings: readonly string[] | null = null;
  const collectWarnings = (item: Item, entries: readonly JsonText[]): void => {
    if (fields !== null && !columns && entries.length > 0)
      warnings ??= fieldWarnings(fields, operation, item, entries);
  };
  return {
    open: () => '',
    close: () => '',
    failed: () => '',
    tail: () => '',
    ...writer,
    readsMembers: fields !== null || formats[name].readsMembers,
    rows: (item, entries) => {
      collectWarnings(item, entries);
      return writer.rows(item, entries);
    },
    body: (item, body) => {
      const { records } = bodyRecords(operation, body);
      collectWarnings(item, records);
      return writer.body?.(item, body) ?? writer.rows(item, records);
    },
    warnings: () => [...(writer.warnings?.() ?? []), ...(warnings ?? [])],
  };
}

const maxNamedFields = 50;

function fieldWarnings(
  fields: readonly Field[],
  operation: RecordShape,
  item: Item,
  entries: readonly JsonText[],
): string[] {
  const absent = absentFields(fields, entries).join(', ');
  const present = recordKeys(entries).slice(0, maxNamedFields).map(excerpt).join(', ');
  const warnings: string[] = [];
  if (absent !== '')
    warnings.push(`--fields: no entry on the first page has ${excerpt(absent)}; its fields are ${present}`);
  if (lacksDates(fields, operation, item))
    warnings.push('--fields: @published is null: only latest and ndjson exports of uploads have dates');
  return warnings;
}
