import type { FileRecord } from '../format.ts';

/** An entry that is a JSON value. */
export class JsonRecord implements FileRecord {
  readonly raw: string;
  #value: Readonly<Record<string, unknown>> | undefined;

  constructor(raw: string) {
    this.raw = raw;
  }

  /** The members; none if it is not an object. Throws a SyntaxError for invalid JSON. */
  get value(): Readonly<Record<string, unknown>> {
    if (this.#value === undefined) {
      const value: unknown = JSON.parse(this.raw);
      this.#value = isObject(value) ? value : {};
    }
    return this.#value;
  }

  isValid(): boolean {
    try {
      return this.value !== undefined;
    } catch {
      return false;
    }
  }

  keys(): string[] {
    return Object.keys(this.value);
  }

  get videoId(): string | null {
    return (this.#value === undefined ? quickId(this.raw) : null) ?? this.#text('videoId');
  }

  get channelId(): string | null {
    return this.#text('channelId');
  }

  get published(): string | null {
    return this.#text('@published');
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

/** The ID at the start of an entry as the service writes it; null if the entry has to be parsed for it. */
export function quickId(entry: string): string | null {
  const before = '{"videoId":"';
  if (!entry.startsWith(before)) return null;
  const end = entry.indexOf('"', before.length);
  const id = entry.slice(before.length, end);
  return end === -1 || id === '' || id.includes('\\') ? null : id;
}

/** Where the values that are read are among the cells; -1 if they are not there. */
export interface CellPositions {
  readonly videoId: number;
  readonly channelId: number;
  readonly published: number;
}

/** The positions of the values in rows of these columns. */
export function cellPositions(columns: readonly string[]): CellPositions {
  return {
    videoId: columns.indexOf('videoId'),
    channelId: columns.indexOf('channelId'),
    published: columns.indexOf('@published'),
  };
}

/** An entry of cells: csv, or id with tabs. */
export class CellsRecord implements FileRecord {
  readonly raw: string;
  readonly #positions: CellPositions;
  readonly #split: (raw: string) => readonly string[] | null;
  #cells: readonly string[] | null | undefined;

  constructor(
    raw: string,
    positions: CellPositions,
    split: (raw: string) => readonly string[] | null = csvCells,
  ) {
    this.raw = raw;
    this.#positions = positions;
    this.#split = split;
  }

  /** Null for what is not a valid record. */
  get cells(): readonly string[] | null {
    if (this.#cells === undefined) this.#cells = this.#split(this.raw);
    return this.#cells;
  }

  get videoId(): string | null {
    // Most records begin with the ID: the other cells need not be split for it.
    if (this.#cells === undefined && this.#positions.videoId === 0 && this.#split === csvCells) {
      const end = this.raw.indexOf(',');
      if (end > 0 && this.raw[0] !== '"') return this.raw.slice(0, end);
    }
    return this.cells?.[this.#positions.videoId] || null;
  }

  get channelId(): string | null {
    return this.cells?.[this.#positions.channelId] || null;
  }

  get published(): string | null {
    return this.cells?.[this.#positions.published] || null;
  }
}

/** The cells of a CSV record (RFC 4180); null if there are quotes where they may not be. */
export function csvCells(record: string): string[] | null {
  if (!record.includes('"')) return record.split(',');
  const cells: string[] = [];
  for (let at = 0; ; at++) {
    if (record[at] === '"') {
      let end = record.indexOf('"', at + 1);
      while (end !== -1 && record[end + 1] === '"') end = record.indexOf('"', end + 2);
      if (end === -1) return null;
      cells.push(record.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 1;
    } else {
      const comma = record.indexOf(',', at);
      const end = comma === -1 ? record.length : comma;
      const cell = record.slice(at, end);
      if (cell.includes('"')) return null;
      cells.push(cell);
      at = end;
    }
    if (at === record.length) return cells;
    if (record[at] !== ',') return null;
  }
}
