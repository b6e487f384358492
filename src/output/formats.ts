import type { Format, FormatOptions, HeaderReader, Reader, Writer } from './format.ts';

/** A row of the table of formats. */
interface FormatRow {
  /** Extensions of `-o` that select it. */
  readonly extensions: readonly string[];
  /** Its description in the help. */
  readonly meaning: string;
  readonly writer: () => Promise<(options: FormatOptions) => Writer | Promise<Writer>>;
  /** Loads its reader; null: it is never written to a file. */
  readonly reader: (() => Promise<Reader>) | null;
  /** How a file of it starts; null: that shows nothing. The first row that matches decides. */
  readonly start: RegExp | null;
  /** Loads what reads the columns of its header back; null: it has no header. */
  readonly header: (() => Promise<HeaderReader>) | null;
}

/** The output formats: one row per format. Each loads only its own file. */
export const formats = {
  table: {
    extensions: [],
    meaning: 'for people: fits the terminal; not truncated elsewhere; not with -o',
    writer: async () => (await import('./table.ts')).tableFormat,
    reader: null,
    start: null,
    header: null,
  },
  json: {
    extensions: ['json'],
    meaning:
      "one valid document, also after an error. A listing is the service's envelope with all pages in it; " +
      'if it was cut short, has_more is true and continuation_token is where to resume',
    writer: async () => (await import('./json.ts')).jsonFormat,
    reader: async () => (await import('./read/json.ts')).readJson,
    start: /^\s*\{\s*"(?:playlist_info|results)"/,
    header: null,
  },
  ndjson: {
    extensions: ['ndjson', 'jsonl'],
    meaning:
      'one entry per line: exactly the fields that the service sent, in its order, numbers digit for digit',
    writer: async () => (await import('./ndjson.ts')).ndjsonFormat,
    reader: async () => (await import('./read/ndjson.ts')).readNdjson,
    start: /^\s*\{/,
    header: null,
  },
  csv: {
    extensions: ['csv'],
    meaning: 'a header row, then one entry per row (RFC 4180, LF); nested values as JSON',
    writer: async () => (await import('./csv.ts')).csvFormat,
    reader: async () => (await import('./read/csv.ts')).readCsv,
    start: /^(?:[^\n"{]*,)?videoId(?:,[^\n{]*)?\r?\n/,
    header: async () => (await import('./read/csv.ts')).readHeader,
  },
  id: {
    extensions: [],
    meaning: 'one videoId per line (resolve: channel_id)',
    writer: async () => (await import('./id.ts')).idFormat,
    reader: async () => (await import('./read/id.ts')).readIds,
    start: /^(?:[\w-]+(?:\t[^\n]*)?\r?\n)+(?:[\w-]+(?:\t[^\n]*)?)?$/,
    header: null,
  },
} as const satisfies Record<string, FormatRow>;

export type FormatName = keyof typeof formats;

/** The formats that an export can have: those that are read back. */
export type FileFormat = {
  [Name in FormatName]: (typeof formats)[Name]['reader'] extends null ? never : Name;
}[FormatName];

export const formatNames = Object.keys(formats) as readonly FormatName[];

/** The format that an extension of `-o` (without its dot) selects. */
export function formatByExtension(extension: string): FormatName | undefined {
  return formatNames.find((name) => (formats[name].extensions as readonly string[]).includes(extension));
}

/** The format of a file that starts with this text; null if that does not show it. */
export function formatByStart(text: string): FileFormat | null {
  const name = formatNames.find((name) => formats[name].start?.test(text));
  return name !== undefined && isFileFormat(name) ? name : null;
}

/** Whether exports can have this format. */
export function isFileFormat(name: FormatName): name is FileFormat {
  return formats[name].reader !== null;
}

/** The format of that name. */
export async function createFormat(name: FormatName, options: FormatOptions): Promise<Format> {
  const writer = await (await formats[name].writer())(options);
  const format = { ...plain, ...writer };
  if (options.fields === null || options.columns) return format;
  const { withFieldCheck } = await import('./fields.ts');
  return withFieldCheck(format, options.operation, options.fields);
}

/** The defaults: a format writes only entries. */
const plain: Omit<Format, 'rows' | 'body'> = {
  separator: '',
  alwaysHasHead: false,
  head: () => '',
  open: () => '',
  close: () => '',
  failed: () => '',
  tail: () => '',
  warnings: () => [],
  columns: () => null,
};
