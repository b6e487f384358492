import { type Failure, usage } from '../errors.ts';

/** The service's address, checked. */
export interface BaseUrl {
  /** Without a slash at its end. */
  readonly href: string;
  /** Scheme, host and port: what a stored key belongs to. */
  readonly origin: string;
  /** localhost, 127/8 or [::1]: plain http is allowed, a proxy is not used. */
  readonly loopback: boolean;
}

const example = 'expected e.g. https://api.example.com';

/**
 * The service's address from what a person wrote. `source` names where it stood (`--base-url`). A usage error
 * for anything but a plain http or https URL, and for http to a host that is not loopback. The text itself is
 * never shown: it may hold a password, or be a key that was given in the wrong place.
 */
export function parseBaseUrl(text: string, source: string): BaseUrl {
  const trimmed = text.trim();
  if (trimmed === '') throw usage(`${source}: the address is empty`, example);
  const [, authority] = /^https?:\/\/([^/?#\\\s]+)/i.exec(trimmed) ?? [];
  if (authority === undefined) throw notAnAddress(source);
  if (authority.includes('@'))
    throw usage(`${source}: an address must not hold a user name or password`, example);
  if (trimmed.includes('#')) throw usage(`${source}: an address must not hold a fragment (#)`, example);
  if (trimmed.includes('?')) throw usage(`${source}: an address must not hold a query (?)`, example);
  // The URL parser drops tabs and line ends, and reads backslashes as slashes: none of it is meant.
  if (/[\s\\\u0000-\u001f\u007f]/.test(trimmed) || !URL.canParse(trimmed)) throw notAnAddress(source);
  const url = new URL(trimmed);
  const loopback = isLoopback(url.hostname);
  if (url.protocol === 'http:' && !loopback) {
    throw usage(
      `${source}: ${url.origin} is plain http, which would show the key on the way`,
      `use https://${url.host}; http is for localhost only`,
    );
  }
  return { href: url.href.replace(/\/+$/, ''), origin: url.origin, loopback };
}

function notAnAddress(source: string): Failure {
  return usage(`${source}: not an http or https address`, example);
}

/** Whether a host name, as the URL parser wrote it, is this machine's own: an exact name or an IP address. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** The path word after `/api/v2/` (section 1, rule 2): one path segment that needs no escaping. */
export function parseNamespace(text: string, source: string): string {
  if (!/^[A-Za-z0-9._~-]+$/.test(text) || text === '.' || text === '..') {
    throw usage(
      `${source}: '${text}' is not one word of a path`,
      'expected letters, digits or . _ ~ -, e.g. media',
    );
  }
  return text;
}
