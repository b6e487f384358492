import type { Case, PlannedResponse } from './cases.ts';

/** What the contract says that a call prints and how it ends; written from the contract, with JSON.parse. */
export interface Expected {
  readonly exit: number;
  /** Word of the closed set; null: no failure. */
  readonly code: string | null;
  readonly status: number | null;
  /** Credits spent for certain. */
  readonly credits: number;
  readonly entries: readonly unknown[];
  /** The JSON document, without its error. */
  readonly document: unknown;
}

/** Two pages may be the same or not: their texts differ where their values do not. */
export class Undecided extends Error {}

interface Stop {
  readonly exit: number;
  readonly code: string;
  readonly status: number | null;
}

const nonsense: Stop = { exit: 8, code: 'invalid_response', status: 200 };
const loop: Stop = { exit: 8, code: 'loop', status: 200 };

/** `body`: empty for a request without a response. */
function stopOf({ status, body }: Pick<PlannedResponse, 'status' | 'body'>): Stop {
  // Something in front of the service responded: known deployment, "User-Agent".
  if (status === 403 && !isLooselyJson(body)) return { exit: 8, code: 'refused', status };
  if (status === 401 || status === 403) return { exit: 3, code: 'unauthorized', status };
  if (status === 402) return { exit: 4, code: 'no_credits', status };
  if (status === 404) return { exit: 5, code: 'not_found', status };
  if (status === 429) return { exit: 6, code: 'rate_limited', status };
  if (status === 408 || status >= 500) return { exit: 7, code: 'unavailable', status };
  if (status >= 400) return { exit: 8, code: 'refused', status };
  return { exit: 8, code: 'invalid_response', status };
}

/** A 404 to a token is about the token, not about the list. */
function stopOfPage(response: Pick<PlannedResponse, 'status' | 'body'>, token: string | null): Stop {
  const { status } = response;
  return status === 404 && token !== null ? { exit: 8, code: 'refused', status } : stopOf(response);
}

/** Whether no token resumes a listing: the last one was refused, or the response was invalid. */
function isUnresumable(stop: Stop | null): boolean {
  if (stop?.code === 'invalid_response' || stop?.code === 'loop') return true;
  return [400, 404, 410, 422].includes(stop?.status ?? 0);
}

/** Whether an error body is JSON; damaged characters do not matter there. */
function isLooselyJson(body: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder().decode(body));
    return true;
  } catch {
    return false;
  }
}

const notFound = { status: 404, body: Buffer.alloc(0) };

/** The value of a body, in a box; null if it is not JSON in UTF-8. */
function parse({ body }: PlannedResponse): { value: unknown } | null {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return null;
  }
}

function members(value: unknown): Record<string, unknown> {
  const made: Record<string, unknown> = Object.create(null);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return made;
  for (const [key, each] of Object.entries(value)) made[key] = each;
  return made;
}

/** The video ID of an entry; empty if it has none. */
function idOf(entry: unknown): string {
  const { videoId } = members(entry);
  return typeof videoId === 'string' ? videoId : '';
}

export function expected(given: Case): Expected {
  return given.command === 'uploads' || given.command === 'playlist' ? listing(given) : whole(given);
}

function listing({ command, responses, limit, maxCredits }: Case): Expected {
  const entries: unknown[] = [];
  const seen = new Set<string>();
  let credits = 0;
  let info: unknown = null;
  let opened = false;
  let token: string | null = null;
  let before: { text: string; damaged: boolean; ids: readonly string[] } = {
    text: '',
    damaged: false,
    ids: [],
  };
  const end = (stop: Stop | null, hasMore: boolean, next: string | null): Expected => ({
    exit: stop?.exit ?? 0,
    code: stop?.code ?? null,
    status: stop?.status ?? null,
    credits,
    entries,
    document: {
      playlist_info: info,
      results: entries,
      continuation_token: hasMore && !isUnresumable(stop) ? next : null,
      // There is no such list.
      has_more: hasMore && !(next === null && ['not_found', 'usage', 'refused'].includes(stop?.code ?? '')),
    },
  });
  for (let n = 0; ; n++) {
    if (token !== null) seen.add(token);
    if (maxCredits !== null && credits >= maxCredits)
      return end({ exit: 9, code: 'budget', status: null }, true, token);
    const response = responses[n];
    if (response === undefined) return end(stopOfPage(notFound, token), true, token);
    if (response.status !== 200) return end(stopOfPage(response, token), true, token);
    credits++;
    const parsed = parse(response);
    if (parsed === null) return end(nonsense, true, token);
    const page = members(parsed.value);
    const list: unknown = Array.isArray(parsed.value) ? parsed.value : page.results;
    const found: readonly unknown[] = Array.isArray(list) ? list : [];
    const text = JSON.stringify(found);
    const isRepeated = found.length > 0 && before.text === text;
    if (isRepeated && (response.damaged || before.damaged)) throw new Undecided();
    const kept = command === 'uploads' ? found.filter((entry) => !before.ids.includes(idOf(entry))) : found;
    if (found.length > 0)
      before = { text, damaged: response.damaged, ids: found.map(idOf).filter((id) => id !== '') };
    if (!opened) info = page.playlist_info ?? null;
    opened = true;
    const room = limit === null ? Number.POSITIVE_INFINITY : limit - entries.length;
    const taken = kept.slice(0, room);
    entries.push(...taken);
    const { has_more: more, continuation_token: next } = page;
    const usable = typeof next === 'string' && next !== '' && next.isWellFormed();
    const valid = typeof more === 'boolean' && Array.isArray(page.results) && (!more || usable);
    const loops = isRepeated || (valid && more && usable && seen.has(next));
    const sound = valid && !loops;
    if (taken.length === room) {
      const left = taken.length < kept.length;
      if (!sound || left) return end(null, left || !sound || more === true, token);
      return end(null, more === true, next as string);
    }
    if (!sound) return end(loops ? loop : nonsense, true, token);
    if (!more) return end(null, false, null);
    token = next as string;
  }
}

function whole({ command, responses: [response] }: Case): Expected {
  const paid = command === 'search' ? 1 : 0;
  const failed = (stop: Stop, credits: number): Expected => ({ ...stop, credits, entries: [], document: {} });
  if (response === undefined) return failed(stopOf(notFound), 0);
  if (response.status !== 200) return failed(stopOf(response), 0);
  const parsed = parse(response);
  if (parsed === null) return failed(nonsense, paid);
  const { value } = parsed;
  const id = members(value).channel_id;
  if (command === 'resolve' && (typeof id !== 'string' || id === '')) return failed(nonsense, paid);
  const entries = command === 'resolve' ? [value] : recordsOf(value);
  return { exit: 0, code: null, status: null, credits: paid, entries, document: value };
}

/** The list is the body if it is an array, else `results`, else the only array among its members, else the body. */
function recordsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const all = members(value);
  if (Array.isArray(all.results)) return all.results;
  const arrays = Object.values(all).filter(Array.isArray);
  return arrays.length === 1 && arrays[0] !== undefined ? arrays[0] : [value];
}
