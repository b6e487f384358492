import type { TestContext } from 'node:test';
import type { SandboxSettings } from '../../src/sandbox/defaults.ts';
import { startSandbox } from '../../src/sandbox/server.ts';

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** A response. This client follows the specification and shares nothing with the program's. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Page {
  readonly results: readonly Readonly<Record<'videoId' | 'title' | 'viewCountText' | 'index', string>>[];
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

/** One GET with a key and a User-Agent; `path` follows /api/v2/media/. */
export async function get(
  { baseUrl, key }: Pick<Sandbox, 'baseUrl' | 'key'>,
  path: string,
  query: Query = {},
): Promise<Received> {
  const response = await fetch(`${baseUrl}/api/v2/media/${path}?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${key}`, 'user-agent': 'sandbox-test' },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The body of a 200; anything else is a failure of the test. */
export function body<T>(response: Received): T {
  if (response.status !== 200) throw new Error(`expected 200, got ${response.status}: ${response.text}`);
  return JSON.parse(response.text) as T;
}

/** One page of a list; `path` is `channel/videos` or `playlist/videos`. */
export async function page(service: Sandbox, path: string, query: Query): Promise<Page> {
  return body<Page>(await get(service, path, query));
}

export async function pages(service: Sandbox, path: string, query: Query): Promise<Page[]> {
  const found = [await page(service, path, query)];
  for (;;) {
    const token = found.at(-1)?.continuation_token;
    if (!token) return found;
    found.push(await page(service, path, { continuation: token }));
  }
}

export function detail(response: Received): unknown {
  return (JSON.parse(response.text) as { detail: unknown }).detail;
}
