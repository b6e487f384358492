import { Failure, usage } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { didYouMeanCommand, type Step } from '../text/command.ts';
import { isUnsafe } from '../text/sanitize.ts';
import { listingCommands, type ReferenceKind } from './contract.ts';

export interface ParsedReference {
  /** The text as given, without quotes, brackets and punctuation around it. */
  readonly given: string;
  /** What is sent to the service: a handle, an ID, or a channel URL that contains neither. */
  readonly value: string;
  /** The canonical ID, if the reference is one or contains one. */
  readonly id: string | null;
}

type ReferenceValue = Omit<ParsedReference, 'given'>;

export const expectedReference = {
  channel: 'a handle (@name), a channel URL (https://...) or an ID beginning with UC',
  playlist: 'a playlist URL (with list=) or an ID beginning with PL, UU, LL, FL or OL',
} as const;

/** IDs become file names; real ones have 24 characters. */
const channelId = /^UC[A-Za-z0-9_-]{1,98}$/;
const fullChannelId = /^UC[A-Za-z0-9_-]{22}$/;
const playlistId = /^(?:PL|UU|LL|FL|OL)[A-Za-z0-9_-]+$/;
const handlePattern = /^@[^\s/\\?#@＠﹫:,;%"()<>[\]{}]+$/;
const videoId = /^[A-Za-z0-9_-]{11}$/;
/** Maximum length of a reference, in characters: servers do not accept longer URLs either. */
const maxLength = 4096;
const channelPaths: ReadonlySet<string> = new Set(['channel', 'c', 'user']);
const referenceStart = /(?:@|https?:\/\/|(?:UC|PL|UU|LL|FL|OL)[A-Za-z0-9_-])/.source;
const startsWithReference = new RegExp(`^${referenceStart}`);
const severalReferences = new RegExp(`[,;|\\s]${referenceStart}`);

const invisible = /[\u0085\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const pairs = ['""', "''", '``', '“”', '„“', '‘’', '‚‘', '«»', '<>', '()', '[]', '{}'];

/** Characters allowed before and after a handle or an ID. */
const opening = /^[\s"'`“„‘‚«<([{]+/;
const closing = /(?<![\s,;.!:…"'`“”‘’»>)\]}])[\s,;.!:…"'`“”‘’»>)\]}]+$/;

/** Strips everything around a pasted handle or ID, or around a URL that contains one. */
function bareReference(pasted: string): string {
  const text = pasted.replace(invisible, '').replace(opening, '').replace(closing, '');
  return text.replace(/^[＠﹫]/, '@');
}

/** Strips invisible characters from a pasted URL that is sent as it is, and quotes, brackets and punctuation around it. */
function cleanReference(pasted: string): string {
  const text = withoutPunctuation(pasted.replace(invisible, ''));
  const isWrapped = text.length > 1 && pairs.includes(`${text.at(0)}${text.at(-1)}`);
  return isWrapped ? withoutPunctuation(text.slice(1, -1)) : text;
}

/** `[demo](https://example.com/@demo)`, as chats and notes copy it. */
const markdownLink = /^\s*\[[^\]]*\]\(([^\s()]+)\)\s*$/;
/** Replaces a Markdown link by its address, and `&amp;`, which web pages write, by `&`. */
const withoutMarkup = (pasted: string): string => pasted.replace(markdownLink, '$1').replaceAll('&amp;', '&');

const withoutPunctuation = (text: string): string => text.trim().replace(/(?<![\s,;.])[\s,;.]+$/, '');

/** Kinds of addresses that no command accepts, by host and path. */
const otherPages: readonly (readonly [hostAndPath: RegExp, what: string])[] = [
  [
    /^youtu\.be\/.|^[^/]+\/(?:watch\b|(?:shorts|live|embed)(?:\/|$)|(?:v|video)\/[\w-]{11}(?:\/|$))/,
    'a video',
  ],
  [/^[^/]+\/clip\/./, 'a clip of a video'],
  [/^[^/]+\/post\/./, 'a post'],
  [/^[^/]+\/feeds?\b/, 'a feed page'],
  [/^[^/]+\/results\b/, 'a search page'],
  [/^[^/]+\/hashtag\b/, 'a hashtag page'],
  [/^[^/]+\/playlist\b/, 'a playlist page'],
];

const otherPage = ({ hostname, pathname }: URL): string | undefined =>
  otherPages.find(([pattern]) => pattern.test(`${hostname}${pathname}`))?.[1];

const otherLists: readonly (readonly [id: RegExp, what: string])[] = [
  [/^RD./, 'a mix, which the service does not list'],
  [/^(?:WL|LL|LM)$/, 'a private list, which the service does not list'],
];

/** Parses a pasted reference of a kind; returns null if the text is not one. */
function tryParseReference(pasted: string, kind: ReferenceKind): ParsedReference | null {
  const parse = kind === 'channel' ? parseChannel : parsePlaylist;
  const text = withoutMarkup(pasted);
  const [bare, cleaned] = [bareReference(text), cleanReference(text)];
  if (cleaned.length > maxLength || severalReferences.test(cleaned)) return null;
  const target = parse(bare);
  // A URL that is sent as it is may end with a bracket.
  const url = target !== null && hasScheme(target.value) ? parse(cleaned) : null;
  if (url !== null) return { given: cleaned, ...url };
  return target && { given: bare, ...target };
}

export const isReference = (pasted: string, kind: ReferenceKind): boolean =>
  tryParseReference(pasted, kind) !== null;

/** Parses a reference as pasted. Throws a usage error that says what the text is, and names the expected forms. */
export function parseReference(pasted: string, kind: ReferenceKind): ParsedReference {
  const target = tryParseReference(pasted, kind);
  if (target !== null) return target;
  const text = bareReference(withoutMarkup(pasted));
  const { what = `not a ${kind} reference`, step } = mistakeIn(text, kind);
  const quoted = text === '' ? pasted.trim() : text;
  throw usage(`'${quoted}' is ${what}: expected ${expectedReference[kind]}`, step);
}

function parseChannel(text: string): ReferenceValue | null {
  // `UC…/videos`
  const [id = ''] = text.split('/');
  if (channelId.test(id)) return { value: id, id };
  const [typedHandle] = /^(?:@|%40)[^/?#]*/.exec(text) ?? [];
  if (typedHandle !== undefined) return handleOf(typedHandle);
  const url = parseUrl(text);
  if (url === null) return null;
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  for (const [i, segment] of segments.entries()) {
    if (segment.startsWith('@') || segment.startsWith('%40')) return handleOf(segment);
    if (segments[i - 1] === 'channel' || fullChannelId.test(segment))
      return channelId.test(segment) ? { value: segment, id: segment } : null;
  }
  const named = url.searchParams.get('channel_id');
  if (named !== null && channelId.test(named)) return { value: named, id: named };
  const [first, second] = segments;
  if (first === undefined || (channelPaths.has(first) && second === undefined)) return null;
  const isOther = otherPage(url) !== undefined || url.searchParams.has('list');
  return isOther || !hasScheme(text) ? null : { value: text, id: null };
}

/** Returns the handle in a text or a path segment, decoded and in NFC; null if there is none. */
function handleOf(encoded: string): ReferenceValue | null {
  const handle = bareReference(decode(encoded).normalize());
  return handlePattern.test(handle) && !isUnsafe(handle) ? { value: handle, id: null } : null;
}

function parsePlaylist(text: string): ReferenceValue | null {
  const url = parseUrl(text);
  const [, browsed] = /\/browse\/([^/]+)/.exec(url?.pathname ?? '') ?? [];
  const id = (url?.searchParams.get('list') ?? browsed ?? text).replace(/^VL|\/$/g, '');
  return playlistId.test(id) ? { value: id, id } : null;
}

const hasScheme = (text: string): boolean => /^https?:\/\//i.test(text);

/** Parses a URL without white space, control characters, user name or password; returns null for anything else. */
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

/** Matches values that are certainly a channel or a playlist. Any other address may be a page of another kind. */
const certain = /^(?:@|[A-Z]{2}|https?:\/\/[^/]+\/(?:c|user)\/)/;

/** What a refused text is, and what to do about it; undefined if that is not known. */
interface Mistake {
  readonly what?: string | undefined;
  readonly step?: Step | undefined;
}

const mistakeIn = (text: string, kind: ReferenceKind): Mistake =>
  severalMistake(text) ?? otherKindMistake(text, kind) ?? pageMistake(text, kind);

function severalMistake(text: string): Mistake | null {
  if (!severalReferences.test(text)) return null;
  if (!startsWithReference.test(text))
    return { what: 'a reference with other text', step: 'give the reference alone' };
  return {
    what: 'more than one reference',
    step: 'give each one by itself, without other text: one per argument or line',
  };
}

/** Recognizes a playlist where a channel is expected, and a channel where a playlist is expected. */
function otherKindMistake(text: string, kind: ReferenceKind): Mistake | null {
  const other = kind === 'channel' ? 'playlist' : 'channel';
  const { value = '' } = (kind === 'channel' ? parsePlaylist(text) : parseChannel(text)) ?? {};
  if (!certain.test(value)) return null;
  return { what: `a ${other}`, step: didYouMeanCommand(`chanlist ${listingCommands[other]}`, [value]) };
}

const channelOfVideo = 'open the video and copy the address or @handle of its channel';

function pageMistake(text: string, kind: ReferenceKind): Mistake {
  const url = parseUrl(text);
  const list = (url?.searchParams.get('list') ?? text).replace(/^VL/, '');
  const what = otherLists.find(([id]) => id.test(list))?.[1] ?? (url === null ? undefined : otherPage(url));
  if (what !== 'a video') return { what, step: kind === 'channel' ? correctionOf(text) : undefined };
  if (kind === 'channel') return { what, step: channelOfVideo };
  const mayContinue = url?.searchParams.has('v') && !url.searchParams.has('list');
  return {
    what,
    step: mayContinue
      ? 'if the address continues after &, quote it'
      : 'open the playlist and copy its address',
  };
}

/** Returns a suggestion for a text that is almost a channel; undefined if there is none. */
function correctionOf(text: string): string | undefined {
  // Editors and web pages write two hyphens as one dash.
  const [, flag] = /^[\u2010-\u2015\u2212]-?(\w[\w-]*)/.exec(text) ?? [];
  if (flag !== undefined) return `did you mean --${flag}?`;
  if (videoId.test(text)) return `if it is a handle, write @${text}; if a video ID, ${channelOfVideo}`;
  if (/^uc[\w-]{22}$/i.test(text)) return `did you mean UC${text.slice(2)}?`;
  const isAddress = !hasScheme(text) && parseUrl(text) !== null;
  const isHandle = /^(?!www\.)[\p{L}\p{N}_][^/?]*$/u.test(text);
  const corrected = isAddress ? `https://${text}` : `@${text}`;
  const isMeant = (isAddress || isHandle) && parseChannel(corrected) !== null;
  return isMeant ? `did you mean ${corrected}?` : undefined;
}

export const kindOfId = (id: string): ReferenceKind => (playlistId.test(id) ? 'playlist' : 'channel');

/** Returns the canonical ID in a result of `resolve`; it is safe as a file name. Throws `invalid_response` if there is none. */
export function resolvedId(body: JsonText): string {
  const id = body.get('channel_id')?.string() ?? '';
  if (channelId.test(id)) return id;
  throw new Failure('invalid_response', 'the 200 response has no valid channel_id', { status: 200 });
}
