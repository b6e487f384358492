import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { SandboxSettings } from '../../src/sandbox/defaults.ts';
import { startSandbox } from '../../src/sandbox/server.ts';

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

export type Entry = Readonly<Record<string, unknown>>;

export interface Page {
  readonly results: readonly Entry[];
  readonly playlist_info: Readonly<Record<string, string | null>>;
  readonly continuation_token: string | null;
  readonly has_more: boolean;
}

type Query = Readonly<Record<string, string>>;

export async function sandbox(t: TestContext, options: Partial<SandboxSettings> = {}): Promise<Sandbox> {
  const started = await startSandbox(options);
  t.after(() => started.close());
  return started;
}

/**
 * One GET with a key; `path` follows /api/v2/media/. This client follows the specification and shares nothing with the
 * program's.
 */
export async function get(
  { baseUrl, key }: Pick<Sandbox, 'baseUrl' | 'key'>,
  path: string,
  query: Query = {},
) {
  const url = `${baseUrl}/api/v2/media/${path}?${new URLSearchParams(query)}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The body of a 200; anything else is a failure of the test. */
export async function body<T>(service: Sandbox, path: string, query: Query): Promise<T> {
  const { status, text } = await get(service, path, query);
  assert.equal(status, 200, text);
  return JSON.parse(text) as T;
}

/** The entries of `channel/search` or `channel/latest`. */
export interface List {
  readonly results: readonly Entry[];
  readonly result_count: number;
  readonly channel: object;
}

/** One page of a list; `path` is `channel/videos` or `playlist/videos`. */
export const page = (service: Sandbox, path: string, query: Query): Promise<Page> =>
  body<Page>(service, path, query);

export async function pages(service: Sandbox, path: string, query: Query): Promise<Page[]> {
  const found = [await page(service, path, query)];
  for (;;) {
    const token = found.at(-1)?.continuation_token;
    if (!token) return found;
    found.push(await page(service, path, { continuation: token }));
  }
}

export const idsOf = (entries: readonly Entry[]): unknown[] => entries.map(({ videoId }) => videoId);
