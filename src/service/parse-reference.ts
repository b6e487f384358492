import { Failure, usage } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { thousands } from '../text/count.ts';
import { isUnsafe, shellQuote } from '../text/sanitize.ts';
import type { ReferenceKind } from './contract.ts';

export interface Reference {
  readonly reference: string;
  /** What is sent to the service: a handle, an ID, or a channel URL that carries neither. */
  readonly value: string;
  /** The canonical ID, if the reference is one or carries one. */
  readonly id: string | null;
}

/** The forms of each kind of reference, for messages and help (docs/service.md, sections 1 and 4.5). */
export const expectedReference = {
  channel: 'a handle (@name), a channel URL or an ID beginning with UC',
  playlist: 'a playlist URL (with list=) or an ID beginning with PL, UU, LL, FL or OL',
} as const;

const channelId = /^UC[A-Za-z0-9_-]+$/;
const fullChannelId = /^UC[A-Za-z0-9_-]{22}$/;
export const playlistId = /^(?:PL|UU|LL|FL|OL)[A-Za-z0-9_-]+$/;
const videoId = /^[A-Za-z0-9_-]{11}$/;
const handlePattern = /^@[^\s/\\?#@:]+$/;
/** Maximum length of a reference, in characters: servers do not take longer addresses either. */
const maxLength = 4096;
/** Paths of the platform that name a video or a list, not a channel. */
const otherPages: ReadonlySet<string> = new Set(['watch', 'playlist', 'shorts', 'live', 'embed']);
const channelPaths: ReadonlySet<string> = new Set(['channel', 'c', 'user']);

/**
 * Parses a channel or playlist reference as typed. URLs work with or without scheme, on any host; a URL that carries a
 * handle or an ID is reduced to it, any other http(s) channel URL is sent character for character. Throws a usage error
 * that names the expected forms. `takesList`: the command takes `--from`.
 */
export function parseReference(typed: string, kind: ReferenceKind, takesList = true): Reference {
  const text = typed.trim();
  const target = parse(text, kind);
  if (target !== null) return { reference: text, ...target };
  throw usage(
    `'${text}' is not a ${kind} reference: expected ${expectedReference[kind]}`,
    suggestion(text, kind, takesList),
  );
}

function parse(text: string, kind: ReferenceKind): Omit<Reference, 'reference'> | null {
  if (text.length > maxLength) return null;
  return kind === 'channel' ? channel(text) : playlist(text);
}

function channel(text: string): ReturnType<typeof parse> {
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

function playlist(text: string): ReturnType<typeof parse> {
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

/** A percent-encoded text; empty if it is damaged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function suggestion(text: string, kind: ReferenceKind, takesList: boolean): string | undefined {
  if (text.length > maxLength) return `it has ${thousands(text.length)} characters`;
  if (takesList && text === '-') return 'to read references from stdin: --from -';
  if (takesList && isFileName(text)) return `to read references from a file: --from ${shellQuote(text)}`;
  if (parseUrl(text)?.searchParams.has('v')) return 'that is a video; name its channel or playlist';
  if (kind === 'playlist')
    return channel(text) === null ? undefined : 'that is a channel: use chanlist uploads';
  if (playlist(text) !== null) return 'that is a playlist: use chanlist playlist';
  if (videoId.test(text)) return 'that is a video ID; a handle begins with @';
  if (isHandle(`@${text}`)) return `did you mean @${text}?`;
  if (hasScheme(text) || parseUrl(text) === null || channel(`https://${text}`) === null) return undefined;
  return `did you mean https://${text}?`;
}

/** A path, or a name with an extension that lists of references have. */
function isFileName(text: string): boolean {
  if (isUnsafe(text) || text.includes('://')) return false;
  if (/\.(?:txt|list?|lst|csv|tsv|json|jsonl|ndjson|ya?ml|md|log|dat|conf)$/i.test(text)) return true;
  return /^(?:\.{0,2}\/|~\/|[A-Za-z]:\\)/.test(text) || /^[^/?#:.@]+\/[^?#:]*$/.test(text);
}

/** Throws `invalid_response` for a result of `resolve` without an ID. */
export function assertResolved(body: JsonText): void {
  if (resolvedId(body) !== null) return;
  throw new Failure('invalid_response', 'the 200 response has no channel_id', { status: 200 });
}

/** The canonical ID in a result of `resolve` (docs/service.md, 2.1); null if it has none. */
export function resolvedId(body: JsonText): string | null {
  return body.get('channel_id')?.string() || null;
}
