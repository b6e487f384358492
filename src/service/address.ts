import { usage } from '../errors.ts';
import { isQuoted } from '../text/sanitize.ts';

export interface BaseUrl {
  readonly href: string;
  /** Scheme, host and port: what a stored key belongs to. */
  readonly origin: string;
  /** True for localhost, 127/8 and [::1]: plain http is allowed, and no proxy is used. */
  readonly loopback: boolean;
}

/**
 * Parses the address of the service: adds a missing scheme, strips a trailing `/api/v2` or `/api/v2/WORD`, and returns WORD
 * as the namespace. Errors name `source`, and never show the text: it may contain a password, or be a key.
 */
export function parseAddress(text: string, source: string) {
  const trimmed = completeScheme(text.trim());
  if (isQuoted(trimmed)) throw usage(`${source}: the address has quotes around it`, 'remove the quotes');
  // The URL parser drops tabs and line ends and reads backslashes as slashes: reject such texts instead.
  const isHttp = /^https?:\/\/[^/]/i.test(trimmed) && !/[\s\\\u0000-\u001f\u007f]/.test(trimmed);
  const example = 'expected e.g. https://api.example.com';
  if (!isHttp || !URL.canParse(trimmed)) throw usage(`${source}: not an http or https address`, example);
  if (/^https?:\/\/[^/]*@|[?#]/i.test(trimmed))
    throw usage(`${source}: an address has no user name, password, query (?) or fragment (#)`, example);
  const url = new URL(trimmed);
  const loopback = isLoopback(url.hostname);
  if (url.protocol === 'http:' && !loopback)
    throw usage(
      `${source}: ${url.origin} is plain http, which would expose the key`,
      `use https://${url.host}`,
    );
  const path = url.pathname.replace(/\/+/g, '/').replace(/\/$/, '');
  const [suffix = '', namespace = null] = /\/api\/v2(?:\/([A-Za-z0-9._~-]+))?$/.exec(path) ?? [];
  const prefix = path.slice(0, path.length - suffix.length);
  const baseUrl: BaseUrl = { href: url.origin + prefix, origin: url.origin, loopback };
  return { baseUrl, namespace };
}

/** A host with an optional port and path, as users write addresses without a scheme. */
const schemeless =
  /^(localhost|\[[0-9a-f:.]+\]|(?:[\p{L}\p{N}-]{1,63}\.)+(?:\p{L}{2,63}|\d{1,3})|[\p{L}\p{N}-]{1,63}(?=:\d))(?::\d{1,5})?(?:\/|$)/iu;

/** Completes an address without a scheme: `http://` for loopback, `https://` for any other host. */
function completeScheme(text: string): string {
  const [, host] = schemeless.exec(text) ?? [];
  if (host === undefined) return text;
  return `${isLoopback(host.toLowerCase()) ? 'http' : 'https'}://${text}`;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Parses the path word after `/api/v2/` (section 1, rule 2), which is one path segment that needs no escaping. */
export function parseNamespace(text: string, source: string): string {
  if (/^[A-Za-z0-9._~-]+$/.test(text) && text !== '.' && text !== '..') return text;
  const expected = 'expected letters, digits or . _ ~ -, e.g. media';
  throw usage(`${source}: '${text.slice(0, 80)}' is not a single path segment`, expected);
}
