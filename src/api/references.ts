import { usage } from '../errors.ts';

/** A channel or playlist that the user named. */
export interface Reference {
  /** As typed. */
  readonly given: string;
  /** What is sent to the service: a handle, an ID, or a full channel URL where neither can be read from it. */
  readonly value: string;
  /** The canonical ID, where the reference itself is one or holds one. */
  readonly id: string | null;
}

export type ReferenceKind = 'channel' | 'playlist';

/** What each kind of reference looks like, for messages and help (service specification, sections 1 and 4.5). */
export const expectedReference = {
  channel: 'a handle (@name), a channel URL or an ID beginning with UC',
  playlist: 'a playlist URL (with list=) or an ID beginning with PL, UU, LL, FL or OL',
} as const;

const channelId = /^UC[A-Za-z0-9_-]+$/;
const playlistId = /^(?:PL|UU|LL|FL|OL)[A-Za-z0-9_-]+$/;
const handle = /^@[^\s\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069/\\?#@:]+$/u;
const control = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

/**
 * What a person types as a channel or playlist -> reference. URLs are taken with or without scheme, of any
 * host. Throws a usage error, saying what was expected, for what cannot be one.
 */
export function parseReference(text: string, kind: ReferenceKind): Reference {
  const given = text.trim();
  const found = kind === 'channel' ? channel(given) : playlist(given);
  if (found !== null) return { given, ...found };
  const shown = given === '' ? 'an empty text' : `'${given.length > 80 ? `${given.slice(0, 80)}…` : given}'`;
  throw usage(
    `${shown} is not a ${kind} reference: expected ${expectedReference[kind]}`,
    suggestion(given, kind),
  );
}

type Found = { value: string; id: string | null };

function channel(text: string): Found | null {
  if (channelId.test(text)) return { value: text, id: text };
  if (handle.test(text)) return { value: text, id: null };
  const url = parseUrl(text);
  if (url === null) return null;
  const [first = '', second = ''] = url.pathname.split('/').slice(1);
  if (first.startsWith('@') || first.startsWith('%40')) {
    const name = decode(first);
    return name !== null && handle.test(name) ? { value: name, id: null } : null;
  }
  if (first === 'channel') return channelId.test(second) ? { value: second, id: second } : null;
  if ((first === 'c' || first === 'user') && second !== '') {
    return { value: `${url.protocol}//${url.host}/${first}/${second}`, id: null };
  }
  return null;
}

function playlist(text: string): Found | null {
  const id = playlistId.test(text) ? text : parseUrl(text)?.searchParams.get('list');
  return id !== null && id !== undefined && playlistId.test(id) ? { value: id, id } : null;
}

function parseUrl(text: string): URL | null {
  if (control.test(text) || /\s/.test(text)) return null;
  const hasScheme = /^https?:\/\//i.test(text);
  if (!hasScheme && !/^(?:[^/?#@:]+\.[^/?#@:]+|localhost)(?::\d+)?[/?]/i.test(text)) return null;
  try {
    return new URL(hasScheme ? text : `https://${text}`);
  } catch {
    return null;
  }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function suggestion(text: string, kind: ReferenceKind): string | undefined {
  if (kind === 'playlist' && channel(text) !== null) return 'that is a channel: chanlist uploads lists it';
  if (kind === 'channel' && playlist(text) !== null) return 'that is a playlist: chanlist playlist lists it';
  if (kind === 'channel' && handle.test(`@${text}`)) return `did you mean @${text}?`;
  return undefined;
}
