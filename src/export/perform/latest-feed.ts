import { toFailure } from '../../errors.ts';
import type { JsonText } from '../../json/json-text.ts';
import type { Field } from '../../output/format.ts';
import { records } from '../../output/records.ts';
import type { Run } from '../../run/open.ts';
import type { Tally } from '../../service/budget.ts';
import { operations, type PagedOperation } from '../../service/contract.ts';
import type { Feed, FeedEntry } from '../decide/decide-update.ts';

/**
 * Asks for the feed of a channel (`latest`, free). A feed that is missing (404, 5xx after retries), unreadable, of
 * another channel, or empty while FILE has entries is a problem, not an error; other failures are thrown.
 */
export async function requestFeed(
  { session }: Run,
  id: string,
  hasEntries: boolean,
  tally: Tally,
): Promise<Feed> {
  const missing = (problem: string, status: number | null, isAbsent = false): Feed => ({
    entries: null,
    problem,
    status,
    isAbsent,
  });
  let body: JsonText;
  try {
    body = await session.client.call(operations.latest, { channel: id }, tally);
  } catch (error) {
    const failure = toFailure(error);
    const { code, status } = failure;
    if (code === 'not_found') return missing('missing (404)', 404, true);
    if (code === 'invalid_response') return missing('unreadable', status);
    if (code === 'unavailable') return missing(`not available (${status ?? 'no response'})`, status);
    throw failure;
  }
  const feed = readFeed(body, session.context.clock.now());
  if (feed === null) return missing('unreadable', 200);
  if (feed.channelId !== null && feed.channelId !== id)
    return missing(`that of another channel (${feed.channelId})`, 200);
  if (feed.entries.length === 0 && hasEntries) return missing('empty', 200, true);
  return { entries: feed.entries, problem: null };
}

/**
 * Reads a response of `latest`, whose shape the specification does not show (4.4); null if it has no list of entries.
 * Entries without an ID are ignored. `now`: milliseconds since 1970.
 */
function readFeed(
  body: JsonText,
  now: number,
): { entries: readonly FeedEntry[]; channelId: string | null } | null {
  const { list, records: found } = records(body);
  if (list === null) return null;
  const entries = found.flatMap((entry) => feedEntry(entry, now) ?? []);
  if (found.length > 0 && entries.length === 0) return null;
  const ids = new Set(found.map((entry) => entry.get('channelId')?.string()));
  const [only] = ids.size === 1 ? ids : [];
  const own = body.at(['channel', 'channelId'])?.string() ?? body.get('channelId')?.string();
  const channelId = own?.startsWith('UC') ? own : only;
  return { entries, channelId: channelId?.startsWith('UC') ? channelId : null };
}

function feedEntry(entry: JsonText, now: number): FeedEntry | null {
  const videoId = entry.get('videoId')?.string() ?? entry.at(['id', 'videoId'])?.string() ?? entry.string();
  if (videoId === undefined || videoId === '') return null;
  const published = entry.get('published')?.string() ?? null;
  return {
    videoId,
    published,
    isShort: entry.get('link')?.string()?.includes('/shorts/') ?? false,
    isScheduled: published !== null && Date.parse(published) > now,
  };
}

/** Whether an export has `@published`, whose dates only the feed has. */
export const needsDates = ({ name }: PagedOperation, fields: readonly Field[] | null): boolean =>
  name === 'uploads' && (fields?.some((field) => field.name === '@published') ?? false);

/** Publication dates by video ID. */
export const publishedDates = ({ entries }: Feed): Record<string, string> =>
  Object.fromEntries(
    (entries ?? []).flatMap(({ videoId, published }) => (published === null ? [] : [[videoId, published]])),
  );
