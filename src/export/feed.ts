import type { JsonText } from '../json/json-text.ts';
import { records } from '../output/records.ts';

/** An entry of the feed that `latest` returns. */
export interface FeedEntry {
  readonly videoId: string;
  /** As sent (ISO 8601); null if the feed has none. */
  readonly published: string | null;
  /** It is never in the uploads list (a Short), or not yet (published in the future). */
  readonly unlisted: boolean;
}

/** The feed of a channel, as `latest` (free) returns it. */
export interface Feed {
  readonly entries: readonly FeedEntry[];
  readonly channelId: string | null;
}

/**
 * Reads a response of `latest`, whose shape the specification does not show (4.4); null if no list of entries can be
 * found in it. Entries without an ID are ignored. `now`: milliseconds since 1970.
 */
export function readFeed(body: JsonText, now: number): Feed | null {
  const { list, records: found } = records(body);
  if (list === null) return null;
  const entries = found.flatMap((entry) => feedEntry(entry, now) ?? []);
  if (found.length > 0 && entries.length === 0) return null;
  const ids = found.map((entry) => entry.get('channelId')?.string());
  const same = ids.every((id) => id === ids[0]) ? ids[0] : undefined;
  return { entries, channelId: channelOf(body) ?? (same?.startsWith('UC') ? same : null) };
}

function channelOf(body: JsonText): string | null {
  const id = body.at(['channel', 'channelId'])?.string() ?? body.get('channelId')?.string();
  return id?.startsWith('UC') ? id : null;
}

function feedEntry(entry: JsonText, now: number): FeedEntry | null {
  const videoId = entry.get('videoId')?.string() ?? entry.at(['id', 'videoId'])?.string() ?? entry.string();
  if (videoId === undefined || videoId === '') return null;
  const published = entry.get('published')?.string() ?? null;
  const isShort = entry.get('link')?.string()?.includes('/shorts/') ?? false;
  const isScheduled = published !== null && Date.parse(published) > now;
  return { videoId, published, unlisted: isShort || isScheduled };
}
