import { base64url, hash, mix } from './random.ts';

/** A demo channel. Nothing of it is stored: everything follows from its code. */
export interface Channel {
  /** N for `@size-N`; beyond the largest N for the named ones. */
  readonly code: number;
  readonly id: string;
  readonly handle: string;
  readonly title: string;
  /** Uploads that it has when the sandbox starts. */
  readonly size: number;
}

export const largestSize = 1_000_000;

const named = new Map([
  [largestSize + 1, { handle: '@demo', title: 'Demo Channel', size: 1234 }],
  [largestSize + 2, { handle: '@empty', title: 'Empty Channel', size: 0 }],
]);

/** The channel of a code; undefined where there is none. */
export function channelByCode(code: number): Channel | undefined {
  const name = named.get(code);
  if (name !== undefined) return { code, id: channelId(code), ...name };
  if (!Number.isInteger(code) || code < 0 || code > largestSize) return undefined;
  return { code, id: channelId(code), handle: `@size-${code}`, title: `Size ${code}`, size: code };
}

/** The channel of a handle (in any case of letters); undefined where there is none. */
export function channelByHandle(handle: string): Channel | undefined {
  const wanted = handle.toLowerCase();
  for (const [code, { handle }] of named) if (handle === wanted) return channelByCode(code);
  const size = /^@size-(0|[1-9]\d{0,6})$/.exec(wanted)?.[1];
  return size === undefined || Number(size) > largestSize ? undefined : channelByCode(Number(size));
}

/** The channel of a canonical ID; undefined where there is none. */
export function channelById(id: string): Channel | undefined {
  if (id.length !== 24) return undefined;
  const bytes = Buffer.from(id.slice(2), 'base64url');
  if (bytes.length !== 16) return undefined;
  const channel = channelByCode((bytes.readUInt32BE(0) ^ mix(bytes.readUInt32BE(4))) >>> 0);
  return channel?.id === id ? channel : undefined;
}

/** Canonical ID (24 characters): holds the code, hidden by its check words. */
function channelId(code: number): string {
  const check = hash(code, 1);
  return `UC${base64url(code ^ mix(check), check, hash(code, 2), hash(code, 3))}`;
}
