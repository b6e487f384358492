import type { JsonText } from '../json/json-text.ts';
import { records } from '../output/records.ts';

/** What the free call tells about a channel's newest uploads. */
export interface Latest {
  /** Of each entry: what may be its video ID. */
  readonly videos: readonly (readonly string[])[];
  readonly channelId: string | null;
}

/**
 * Reads an answer of `latest`, whose shape the specification does not show (4.4): where an entry has no
 * `videoId`, each of its texts may be the ID; where there is no list, it is one entry of which nothing is known.
 */
export function latestOf(body: JsonText): Latest {
  const { list, records: entries } = records(body);
  if (list === null) return { videos: [[]], channelId: channelOf(body) };
  const ids = entries.map((entry) => entry.get('channelId')?.string());
  const same = ids.every((id) => id === ids[0]) ? ids[0] : undefined;
  return {
    videos: entries.map(namesOf),
    channelId: channelOf(body) ?? (same?.startsWith('UC') ? same : null),
  };
}

function channelOf(body: JsonText): string | null {
  const id = body.at(['channel', 'channelId'])?.string();
  return id?.startsWith('UC') ? id : null;
}

function namesOf(entry: JsonText): string[] {
  const id = entry.at(['videoId'])?.string() ?? entry.at(['id', 'videoId'])?.string() ?? entry.string();
  if (id !== undefined) return [id];
  return [...entry.members()].flatMap(([, value]) => value.string() ?? []);
}
