/** What the sandbox is without options, as `serve` and as `--sandbox`. */
export const sandboxDefaults = {
  host: '127.0.0.1',
  key: 'sk_sandbox',
  credits: 1000,
  pageSize: 100,
  /** Milliseconds. */
  latency: 0,
  /** Of the faults; the data never depend on it. */
  seed: 1,
} as const;

/** Port of `serve`. */
export const servePort = 8787;
