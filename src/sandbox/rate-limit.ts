/** What the limit says of one request. */
interface Verdict {
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds until the next window if this one is exhausted, else null. */
  readonly retryAfter: number | null;
}

/**
 * Counts requests against a limit per minute: call it for each. A window of one minute starts with the first request
 * after the previous window. `now`: the clock, in milliseconds since 1970.
 */
export function rateLimit(limit: number, now: () => number): () => Verdict {
  let end = Number.NEGATIVE_INFINITY;
  let left = 0;
  return () => {
    const time = now();
    // Also if the clock was set back.
    if (time >= end || time < end - 60_000) [end, left] = [time + 60_000, limit];
    left--;
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, left)),
      'x-ratelimit-reset': String(Math.ceil(end / 1000)),
    };
    return { headers, retryAfter: left < 0 ? Math.ceil((end - time) / 1000) : null };
  };
}
