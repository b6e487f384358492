import { Failure, usage } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { isUnsafe } from '../text/sanitize.ts';
import type { ReferenceKind } from './contract.ts';

export interface ParsedReference {
  readonly reference: string;
  /** What is sent to the service: a handle, an ID, or a channel URL that carries neither. */
  readonly value: string;
  /** The canonical ID, if the reference is one or carries one. */
  readonly id: string | null;
}

export const expectedReference = {
  channel: 'a handle (@name), a channel URL (https://...) or an ID beginning with UC',
  playlist: 'a playlist URL (with list=) or an ID beginning with PL, UU, LL, FL or OL',
} as const;

/** IDs become file names; real ones have 24 characters. */
const channelId = /^UC[A-Za-z0-9_-]{1,98}$/;
const fullChannelId = /^UC[A-Za-z0-9_-]{22}$/;
export const playlistId = /^(?:PL|UU|LL|FL|OL)[A-Za-z0-9_-]+$/;
const handlePattern = /^@[^\s/\\?#@:]+$/;
/** Maximum length of a reference, in characters: servers do not take longer addresses either. */
const maxLength = 4096;
const otherPages: ReadonlySet<string> = new Set(['watch', 'playlist', 'shorts', 'live', 'embed']);
const channelPaths: ReadonlySet<string> = new Set(['channel', 'c', 'user']);

/**
 * Parses a reference as typed: a URL that carries a handle or an ID is reduced to it, any other http(s) channel URL is sent
 * character for character. Throws a usage error that names the expected forms.
 */
export function parseReference(typed: string, kind: ReferenceKind): ParsedReference {
  const text = typed.trim();
  const target = text.length > maxLength ? null : kind === 'channel' ? channel(text) : playlist(text);
  if (target !== null) return { reference: text, ...target };
  throw usage(
    `'${text}' is not a ${kind} reference: expected ${expectedReference[kind]}`,
    text.length > maxLength ? undefined : suggestion(text, kind),
  );
}

function channel(text: string): Omit<ParsedReference, 'reference'> | null {
  if (channelId.test(text)) return { value: text, id: text };
  if (isHandle(text)) return { value: text, id: null };
  const url = parseUrl(text);
  if (url === null) return null;
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  for (const [i, segment] of segments.entries()) {
    if (segment.startsWith('@') || segment.startsWith('%40')) {
      const name = decode(segment);
      return isHandle(name) ? { value: name, id: null } : null;
    }
    if (segments[i - 1] === 'channel' || fullChannelId.test(segment))
      return channelId.test(segment) ? { value: segment, id: segment } : null;
  }
  const id = url.searchParams.get('channel_id');
  if (id !== null && channelId.test(id)) return { value: id, id };
  const [first, second] = segments;
  if (first === undefined || (channelPaths.has(first) && second === undefined)) return null;
  const isChannel = !otherPages.has(first) && !url.searchParams.has('list');
  return isChannel && hasScheme(text) ? { value: text, id: null } : null;
}

const isHandle = (text: string): boolean => handlePattern.test(text) && !isUnsafe(text);

function playlist(text: string): ReturnType<typeof channel> {
  const id = playlistId.test(text) ? text : parseUrl(text)?.searchParams.get('list')?.replace(/\/$/, '');
  return id !== undefined && playlistId.test(id) ? { value: id, id } : null;
}

const hasScheme = (text: string): boolean => /^https?:\/\//i.test(text);

/** A URL without white space, control characters, user name or password; null for anything else. */
function parseUrl(text: string): URL | null {
  if (isUnsafe(text) || /\s/.test(text)) return null;
  const [, host = ''] = /^([^/?#@:]+)(?::\d+)?[/?]/.exec(text) ?? [];
  const startsWithHost = /[^.]\.[^.]/.test(host) || host.toLowerCase() === 'localhost';
  const address = hasScheme(text) ? text : `https://${text}`;
  if ((!hasScheme(text) && !startsWithHost) || !URL.canParse(address)) return null;
  const url = new URL(address);
  return url.username === '' && url.password === '' ? url : null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function suggestion(text: string, kind: ReferenceKind): string | undefined {
  if (kind === 'playlist')
    return channel(text) === null ? undefined : 'that is a channel: use chanlist uploads';
  if (playlist(text) !== null) return 'that is a playlist: use chanlist playlist';
  return isHandle(`@${text}`) ? `did you mean @${text}?` : undefined;
}

/** The canonical ID in a result of `resolve`, which may name a file. Throws `invalid_response` if it has none. */
export function resolvedId(body: JsonText): string {
  const id = body.get('channel_id')?.string() ?? '';
  if (channelId.test(id)) return id;
  throw new Failure('invalid_response', 'the 200 response has no valid channel_id', { status: 200 });
}
