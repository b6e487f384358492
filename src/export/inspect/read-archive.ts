import { isUtf8 } from 'node:buffer';
import { type ByteRange, chunksOf, linesOf } from '../../fs/line-chunks.ts';
import { JsonText } from '../../json/json-text.ts';
import { IdSet, type Ids } from './id-set.ts';

/** What an ndjson file contains. */
export interface Contents {
  readonly entries: number;
  /** The video IDs, in order of first appearance. */
  readonly ids: Ids;
  /** The first ID that occurs twice; null if none does. */
  readonly duplicate: string | null;
  /** The channel IDs of the entries; '' stands for entries without one. */
  readonly channels: ReadonlySet<string>;
  /** `@published` by video ID. */
  readonly published: ReadonlyMap<string, string>;
  /** The first line that is no record: `line 12 is not a JSON record`; null if all are. */
  readonly damage: string | null;
  /** The number of such lines. */
  readonly badLines: number;
}

export interface ReadOptions extends ByteRange {
  /** Its reason is thrown once it is aborted. */
  readonly stop: AbortSignal;
  /** Only objects with a `videoId` (null, too) are records; otherwise any JSON value is. */
  readonly onlyEntries?: boolean;
  /** Is given each line that is a record, without its end; valid until it returns. */
  onRecord?(line: Buffer, id: string | null): void;
}

/** Reads an open ndjson file, line by line; memory is that of its IDs. Throws system errors. */
export async function readArchive(fd: number, options: ReadOptions): Promise<Contents> {
  const { stop, onlyEntries = false, onRecord } = options;
  const contents = {
    entries: 0,
    ids: new IdSet(),
    duplicate: null as string | null,
    channels: new Set<string>(),
    published: new Map<string, string>(),
    damage: null as string | null,
    badLines: 0,
  };
  const reject = (what: string): void => {
    contents.damage ??= `line ${number} ${what}`;
    contents.badLines++;
  };
  let number = 0;
  for await (const lines of linesOf(chunksOf(fd, stop, options))) {
    for (const line of lines) {
      number++;
      if (line?.length === 0) continue;
      const value = line !== null && isUtf8(line) ? JsonText.parse(line) : null;
      if (line === null) reject('is longer than 64 MiB');
      else if (value === null) reject('is not a JSON record');
      else if (onlyEntries && value.get('videoId') === undefined)
        reject('is not an entry: it has no videoId');
      else {
        const id = value.get('videoId')?.string() || null;
        contents.entries++;
        contents.channels.add(value.get('channelId')?.string() ?? '');
        if (id !== null) {
          if (contents.ids.has(id)) contents.duplicate ??= id;
          contents.ids.add(id);
          const published = value.get('@published')?.string();
          if (published) contents.published.set(id, published);
        }
        onRecord?.(line, id);
      }
    }
  }
  return contents;
}
