import { toFailure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { readResponse } from '../output/document.ts';
import type { Run } from '../run/run.ts';
import { operations } from '../service/contract.ts';
import { feedIdOf } from '../service/page.ts';
import type { Feed, FeedEntry } from './decide-update.ts';
import type { ExportItem } from './export-item.ts';

/**
 * Requests the feed of a channel (`latest`, free). Returns a problem for a feed that is missing (404, 5xx after retries),
 * refused, unreadable, or empty although FILE has entries. Throws failures of the account and the connection.
 */
export async function requestFeed(
  { client, context }: Run,
  { id, reference: { tally } }: ExportItem,
  hasEntries: boolean,
): Promise<Feed> {
  const missingFeed = (problem: string, status: number | null): Feed => ({ entries: null, problem, status });
  let body: JsonText;
  try {
    body = await client.call(operations.latest, { channel: id }, tally);
  } catch (error) {
    const failure = toFailure(error);
    const { code, status } = failure;
    if (code === 'not_found') return missingFeed('missing (404)', 404);
    if (code === 'refused') return missingFeed(`refused (${status})`, status);
    // A redirect is about the address, not about this channel.
    const isRedirect = status !== null && status >= 300;
    if (code === 'invalid_response' && !isRedirect) return missingFeed('unreadable', status);
    if (code === 'unavailable' && status === 200) return missingFeed('incomplete', status);
    if (code === 'unavailable') return missingFeed(`not available (${status ?? 'no response'})`, status);
    throw failure;
  }
  // The shape of the response is not specified (4.4): ignore entries without an ID.
  const { isList, entries: found } = readResponse(body);
  const entries = found.flatMap((entry) => feedEntry(entry, context.clock.now()) ?? []);
  if (!isList || (found.length > 0 && entries.length === 0)) return missingFeed('unreadable', 200);
  if (entries.length === 0 && hasEntries) return missingFeed('empty', 200);
  return { entries, problem: null };
}

/** Maximum length of an ID, in UTF-16 code units: expected IDs are kept in the record. */
const maxIdLength = 200;

/** Returns an entry of the feed; null if it has no usable ID. `now`: milliseconds since 1970. */
function feedEntry(entry: JsonText, now: number): FeedEntry | null {
  const videoId = feedIdOf(entry);
  if (videoId === null || videoId === '' || videoId.length > maxIdLength) return null;
  const published = entry.get('published')?.string();
  return {
    videoId,
    isShort: entry.get('link')?.string()?.includes('/shorts/') ?? false,
    isScheduled: published !== undefined && Date.parse(published) > now,
  };
}
