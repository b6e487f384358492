import { base64url, hash, mix } from './random.ts';

/** A demo channel. Nothing is stored: everything is derived from its code. */
export interface Channel {
  /** N for `@size-N`; above the largest N for the named channels. */
  readonly code: number;
  readonly id: string;
  readonly handle: string;
  readonly title: string;
  /** Number of uploads when the sandbox starts. */
  readonly size: number;
}

const largestSize = 1_000_000;
const demoCode = largestSize + 1;
/** `@odd`: a channel with the oddities of real ones (odd.ts). */
export const oddCode = largestSize + 4;

const named = new Map([
  [demoCode, { handle: '@demo', title: 'Demo Channel', size: 1234 }],
  [largestSize + 2, { handle: '@empty', title: 'Empty Channel', size: 0 }],
  [oddCode, { handle: '@odd', title: 'Odd Channel', size: 262 }],
]);

/** The channel with this code; undefined if there is none. */
function channelByCode(code: number): Channel | undefined {
  const name = named.get(code);
  if (name !== undefined) return { code, id: channelId(code), ...name };
  if (!Number.isInteger(code) || code < 0 || code > largestSize) return undefined;
  return { code, id: channelId(code), handle: `@size-${code}`, title: `Size ${code}`, size: code };
}

/** The channel with this handle (in any letter case); undefined if there is none. */
export function channelByHandle(handle: string): Channel | undefined {
  const wanted = handle.toLowerCase();
  for (const [code, { handle }] of named) if (handle === wanted) return channelByCode(code);
  const size = /^@size-(0|[1-9]\d{0,6})$/.exec(wanted)?.[1];
  return size === undefined || Number(size) > largestSize ? undefined : channelByCode(Number(size));
}

/** The channel with this canonical ID; undefined if there is none. */
export function channelById(id: string): Channel | undefined {
  if (id.length !== 24) return undefined;
  const bytes = Buffer.from(id.slice(2), 'base64url');
  if (bytes.length !== 16) return undefined;
  const channel = channelByCode((bytes.readUInt32BE(0) ^ mix(bytes.readUInt32BE(4))) >>> 0);
  return channel?.id === id ? channel : undefined;
}

/** Canonical ID (24 characters): the code, masked by check words. */
function channelId(code: number): string {
  const check = hash(code, 1);
  return `UC${base64url(code ^ mix(check), check, hash(code, 2), hash(code, 3))}`;
}

/** A list that is read page by page: the uploads of a channel, or a playlist. */
export interface VideoList {
  /** Names the list in tokens; for uploads, the channel's code. */
  readonly code: number;
  readonly title: string;
  readonly description: string;
  readonly owner: Channel;
  /** Total views, as deployments show them: null for some lists, absent for others. */
  readonly viewCount: string | null | undefined;
  /** `continuation_token` of the last page: deployments send null, an empty string or no token. */
  readonly lastToken: null | '' | undefined;
  /** Undefined for uploads; for playlists the videos (position from 0 -> channel and number). */
  readonly playlist?: {
    readonly size: number;
    video(position: number): { readonly channel: Channel; readonly number: number };
  };
}

/** The uploads list of a channel. */
export function uploadsOf(channel: Channel): VideoList {
  const isOdd = channel.code === oddCode;
  const hasViews = channel.size > 0 && channel.code % 3 !== 1;
  return {
    code: channel.code,
    title: `Uploads from ${channel.title}`,
    description: '',
    owner: channel,
    viewCount: isOdd ? undefined : hasViews ? String(channel.size * 41_687 + channel.code) : null,
    lastToken: isOdd ? undefined : null,
  };
}

const demoPlaylistCode = largestSize + 3;

/** `PLdemo`: 321 videos, every fifth one from another channel than the owner's. */
function demoPlaylist(): VideoList | undefined {
  const owner = channelByCode(demoCode);
  const guest = channelByCode(500);
  if (owner === undefined || guest === undefined) return undefined;
  return {
    code: demoPlaylistCode,
    title: 'Demo playlist: the best of “everything” & more',
    description: 'Videos of two demo channels.\nOldest first, new ones are added at the end.',
    owner,
    viewCount: '81726354',
    lastToken: '',
    playlist: {
      size: 321,
      video: (position) =>
        position % 5 === 4
          ? { channel: guest, number: position + 1 }
          : { channel: owner, number: position * 3 + 1 },
    },
  };
}

/** The other playlists of each channel. Like UU, their IDs are the channel's with another prefix. */
const channelPlaylists = [
  { prefix: 'LL', title: 'Liked by', size: 45 },
  { prefix: 'FL', title: 'Favourites of', size: 12 },
  { prefix: 'OL', title: 'Album by', size: 20 },
] as const;
/** Multiple of it in a list's code: 1 for LL, and so on. */
const prefixUnit = 0x100_0000;

function channelPlaylist(kind: number, owner: Channel): VideoList | undefined {
  const row = channelPlaylists[kind];
  if (row === undefined) return undefined;
  const size = Math.min(row.size, owner.size);
  return {
    code: (kind + 1) * prefixUnit + owner.code,
    title: `${row.title} ${owner.title}`,
    description: '',
    owner,
    viewCount: null,
    lastToken: '',
    playlist: {
      size,
      video: (position) => ({ channel: owner, number: 1 + Math.floor((position * owner.size) / size) }),
    },
  };
}

/** The list with this code; undefined if there is none. */
export function listByCode(code: number): VideoList | undefined {
  if (code === demoPlaylistCode) return demoPlaylist();
  const owner = channelByCode(code % prefixUnit);
  const kind = Math.floor(code / prefixUnit);
  if (owner === undefined) return undefined;
  return kind === 0 ? uploadsOf(owner) : channelPlaylist(kind - 1, owner);
}

/** The list with this playlist ID (PL, UU, LL, FL, OL); undefined if there is none. */
export function listById(id: string): VideoList | undefined {
  if (id === 'PLdemo') return demoPlaylist();
  const owner = channelById(`UC${id.slice(2)}`);
  if (owner === undefined) return undefined;
  if (id.startsWith('UU')) return uploadsOf(owner);
  return channelPlaylist(
    channelPlaylists.findIndex(({ prefix }) => id.startsWith(prefix)),
    owner,
  );
}
