import { csvCells } from './csv-cells.ts';

/** An entry of a complete FILE. */
export interface FileRecord {
  /** Its text as it stands: without line end (csv: the record, json: the element). */
  readonly raw: string;
  /** Looked for when it is asked for; null where the entry has none. */
  readonly videoId: string | null;
  readonly channelId: string | null;
}

/** An entry that is a JSON value. */
export class JsonRecord implements FileRecord {
  readonly raw: string;
  #value: Readonly<Record<string, unknown>> | undefined;

  constructor(raw: string) {
    this.raw = raw;
  }

  /** The members; none for what is no object. Throws a SyntaxError for what is no JSON. */
  get value(): Readonly<Record<string, unknown>> {
    if (this.#value === undefined) {
      const value: unknown = JSON.parse(this.raw);
      this.#value = isObject(value) ? value : {};
    }
    return this.#value;
  }

  get videoId(): string | null {
    return (this.#value === undefined ? quickId(this.raw) : null) ?? this.#text('videoId');
  }

  get channelId(): string | null {
    return this.#text('channelId');
  }

  #text(key: string): string | null {
    try {
      const text = this.value[key];
      return typeof text === 'string' && text !== '' ? text : null;
    } catch {
      return null;
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The ID at the start of an entry as the service writes it; null where the entry has to be parsed for it. */
export function quickId(entry: string): string | null {
  const before = '{"videoId":"';
  if (!entry.startsWith(before)) return null;
  const end = entry.indexOf('"', before.length);
  const id = entry.slice(before.length, end);
  return end === -1 || id === '' || id.includes('\\') ? null : id;
}

/** Places of the IDs among the cells; -1 where they are not. */
export interface IdColumns {
  readonly videoId: number;
  readonly channelId: number;
}

/** An entry of cells: csv, or id with tabs. */
export class CellsRecord implements FileRecord {
  readonly raw: string;
  readonly #columns: IdColumns;
  readonly #split: (raw: string) => readonly string[] | null;
  #cells: readonly string[] | null | undefined;

  constructor(raw: string, columns: IdColumns, split: (raw: string) => readonly string[] | null = csvCells) {
    this.raw = raw;
    this.#columns = columns;
    this.#split = split;
  }

  /** Null for what is no valid record. */
  get cells(): readonly string[] | null {
    if (this.#cells === undefined) this.#cells = this.#split(this.raw);
    return this.#cells;
  }

  get videoId(): string | null {
    // Most records begin with the ID: the other cells need not be taken apart for it.
    if (this.#cells === undefined && this.#columns.videoId === 0 && this.#split === csvCells) {
      const end = this.raw.indexOf(',');
      if (end > 0 && this.raw[0] !== '"') return this.raw.slice(0, end);
    }
    return this.cells?.[this.#columns.videoId] || null;
  }

  get channelId(): string | null {
    return this.cells?.[this.#columns.channelId] || null;
  }
}
