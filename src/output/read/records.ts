import { JsonText } from '../../json/json-text.ts';
import type { FileRecord } from '../format.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const idStart = Buffer.from('{"videoId":"');

/** An entry that is a JSON value, in UTF-8. */
export class JsonRecord implements FileRecord {
  readonly utf8: Buffer;
  #value: JsonText | null | undefined;

  constructor(utf8: Buffer) {
    this.utf8 = utf8;
  }

  /** Null if it is not valid JSON. */
  get value(): JsonText | null {
    if (this.#value === undefined) this.#value = JsonText.parse(this.utf8);
    return this.#value;
  }

  get keys(): string[] {
    const keys = new Set<string>();
    for (const [key] of this.value?.members() ?? []) keys.add(key);
    return [...keys];
  }

  get videoId(): string | null {
    return this.#value === undefined ? (this.#firstId() ?? this.#text('videoId')) : this.#text('videoId');
  }

  get channelId(): string | null {
    return this.#text('channelId');
  }

  get published(): string | null {
    return this.#text('@published');
  }

  /** The ID at the start of an entry as the service writes it; null if the entry must be parsed. */
  #firstId(): string | null {
    const { utf8 } = this;
    for (let i = 0; i < idStart.length; i++) if (utf8[i] !== idStart[i]) return null;
    const end = utf8.indexOf(QUOTE, idStart.length);
    if (end <= idStart.length) return null;
    for (let i = idStart.length; i < end; i++) if (utf8[i] === BACKSLASH) return null;
    return utf8.toString('utf8', idStart.length, end);
  }

  #text(key: string): string | null {
    return this.value?.get(key)?.string() || null;
  }
}

/** Cell positions of the values that are read; -1 if there is none. */
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

/** An entry of cells (csv, or id with tabs), in UTF-8. */
export class CellsRecord implements FileRecord {
  readonly utf8: Buffer;
  readonly #positions: CellPositions;
  /** Start and end of each cell. */
  readonly #cells: readonly number[];

  constructor(utf8: Buffer, cells: readonly number[], positions: CellPositions) {
    this.utf8 = utf8;
    this.#cells = cells;
    this.#positions = positions;
  }

  get cellCount(): number {
    return this.#cells.length / 2;
  }

  get videoId(): string | null {
    return this.cell(this.#positions.videoId);
  }

  get channelId(): string | null {
    return this.cell(this.#positions.channelId);
  }

  get published(): string | null {
    return this.cell(this.#positions.published);
  }

  /** The text of a cell; null if it is empty or not there. */
  cell(position: number): string | null {
    const from = this.#cells[2 * position];
    const to = this.#cells[2 * position + 1];
    if (position < 0 || from === undefined || to === undefined || from === to) return null;
    const isQuoted = this.utf8[from] === QUOTE;
    const text = this.utf8.toString('utf8', isQuoted ? from + 1 : from, isQuoted ? to - 1 : to);
    return (isQuoted ? text.replaceAll('""', '"') : text) || null;
  }
}
