/** A demo channel. Nothing is stored: everything is derived from these fields. */
export interface Channel {
  readonly handle: string;
  /** Canonical ID: UC and the name, 24 characters in all. */
  readonly id: string;
  readonly title: string;
  /** Number of uploads when the sandbox starts. */
  readonly size: number;
  /** The first four characters of the IDs of its videos. */
  readonly prefix: string;
  /** Seed of its data: N for `@size-N`. */
  readonly seed: number;
  /** Whether it is `@odd`, with the oddities of real channels (odd.ts). */
  readonly isOdd: boolean;
}

const largestSize = 1_000_000;

export const demoChannel = channel('@demo', 'Demo Channel', 1234, 'demo', largestSize + 1);
const named = [
  demoChannel,
  channel('@empty', 'Empty Channel', 0, 'none', largestSize + 2),
  channel('@odd', 'Odd Channel', 262, 'odd_', largestSize + 4),
];

function channel(handle: string, title: string, size: number, prefix: string, seed: number): Channel {
  const id = `UC${handle.slice(1).padEnd(22, '_')}`;
  return { handle, id, title, size, prefix, seed, isOdd: handle === '@odd' };
}

/** `@size-N`. In the IDs of its videos, N is a number of base 36 in capitals. */
export function channelOfSize(size: number): Channel {
  const prefix = size.toString(36).toUpperCase().padStart(4, '0');
  return channel(`@size-${size}`, `Size ${size}`, size, prefix, size);
}

/** The channel with this handle (in any letter case); undefined if there is none. */
export function channelByHandle(text: string): Channel | undefined {
  const handle = text.toLowerCase();
  const size = /^@size-(0|[1-9]\d{0,6})$/.exec(handle)?.[1];
  if (size === undefined) return named.find((channel) => channel.handle === handle);
  return Number(size) > largestSize ? undefined : channelOfSize(Number(size));
}

export function channelById(id: string): Channel | undefined {
  const channel = channelByHandle(`@${id.slice(2).replace(/(?<!_)_+$/, '')}`);
  return channel?.id === id ? channel : undefined;
}
