import { usage } from '../errors.ts';
import type { Field } from '../output/fields.ts';
import {
  type FileFormat,
  type FileRecord,
  findIds,
  readEntries,
  readHeader,
  type Survey,
  surveyFile,
} from './read/read-file.ts';
import type { ExportTask } from './task.ts';

/** The complete file that an update builds upon, or none. It is read in pieces: memory stays flat. */
export class ExistingExport {
  readonly #path: string;
  readonly #shown: string;
  readonly #exists: boolean;
  readonly #format: FileFormat;
  readonly #fields: readonly Field[] | null;

  constructor({ settings, target }: Pick<ExportTask, 'settings' | 'target'>) {
    this.#path = target.real;
    this.#shown = target.path;
    this.#exists = target.exists;
    this.#format = settings.format;
    this.#fields = settings.fields;
  }

  /** Which of these names are video IDs in the file. */
  async find(names: readonly string[]): Promise<Set<string>> {
    if (!this.#exists) return new Set();
    return await findIds(this.#path, this.#format, this.#fields, new Set(names));
  }

  /** The number of its entries and their channel, as far as they tell; throws a usage error where something is damaged. */
  async survey(): Promise<Survey> {
    if (!this.#exists) return { entries: 0, channelId: null };
    return await surveyFile(this.#path, this.#format, this.#fields);
  }

  /**
   * A look that costs little: the number of its entries and the channel of its newest one (null where that does not
   * say). Throws for a file that is cut short, or whose entries have no video ID.
   */
  async look(): Promise<{ entries: number; channelId: string | null }> {
    let entries = 0;
    let channelId: string | null = null;
    for await (const records of this.#read()) {
      const [first] = records;
      if (entries === 0 && first !== undefined) {
        channelId = first.channelId;
        if (records.every(({ videoId }) => videoId === null)) {
          throw usage(
            `${this.#shown}: its entries have no videoId, which --update needs`,
            'export it anew with --restart',
          );
        }
      }
      entries += records.length;
    }
    return { entries, channelId };
  }

  /** csv: its columns, which new entries get too. */
  async header(): Promise<readonly string[] | null> {
    return this.#exists && this.#format === 'csv' ? await readHeader(this.#path) : null;
  }

  /** True where any entry is of this channel: a list may hold videos of guests, too. */
  async hasChannel(id: string): Promise<boolean> {
    for await (const records of this.#read()) {
      if (records.some(({ channelId }) => channelId === id)) return true;
    }
    return false;
  }

  /** Its entries as they stand, ready to follow newer ones. */
  async *rows(): AsyncGenerator<string, void> {
    const [before, after] = this.#format === 'json' ? [',', ''] : ['', '\n'];
    for await (const records of this.#read()) {
      for (const { raw } of records) yield `${before}${raw}${after}`;
    }
  }

  async *#read(): AsyncGenerator<FileRecord[], void> {
    if (this.#exists) yield* readEntries(this.#path, this.#format, this.#fields, { check: false });
  }
}
