import { Failure } from '../errors.ts';
import { type Answer, header } from './http.ts';

/** Maximum length of the service's own message. */
const maxDetailLength = 300;
/** Levels of an error body to search for its message. */
const maxDetailDepth = 8;

/** A response of which the body may not have arrived. */
type Head = Pick<Answer, 'status' | 'headers'> & { readonly body: Buffer | null };

/**
 * The failure of a response other than a 200 (service specification, section 7; product contract, "Exit codes").
 * `hide` removes secrets from the service's message before it is cut.
 */
export function responseFailure(answer: Head, hide: (text: string) => string): Failure {
  const { status } = answer;
  const json = parsedBody(answer.body);
  const detail = shortened(hide(messageOf(json, maxDetailDepth).replace(/\s+/g, ' ').trim()));
  const said = detail === '' ? `(${status})` : `(${status}: ${detail})`;
  if (status >= 300 && status < 400) {
    const location = header(answer, 'location');
    const to = location === undefined ? '' : ` to ${shortened(hide(location))}`;
    return new Failure('bad_answer', `the service redirects${to} (${status}), which is not followed`, {
      status,
      hint: 'set the address with --base-url',
    });
  }
  if (status === 403 && !hasJsonBody(answer, json)) {
    return new Failure('refused', `something in front of the service refused the request ${said}`, {
      status,
      hint: 'check the address and the network: a proxy or a firewall answered',
    });
  }
  switch (status) {
    case 401:
    case 403:
      return new Failure('unauthorized', `the key was rejected ${said}`, {
        status,
        hint: 'see which key is used: chanlist auth status',
      });
    case 402:
      return new Failure('no_credits', `no credits ${said}`, {
        status,
        hint: 'buy credits',
        remedy: 'same-command',
      });
    case 404:
      return new Failure('not_found', `not found ${said}`, { status, hint: 'check the spelling' });
    case 429:
      return new Failure('rate_limited', `rate limited ${said}`, { status });
  }
  if (status === 408 || status >= 500) {
    return new Failure('unavailable', `the service is not available ${said}`, { status });
  }
  if (status >= 400) return new Failure('refused', `the service refused the request ${said}`, { status });
  return new Failure('bad_answer', `the service answered with the unexpected status ${status}`, { status });
}

/** Whether the service itself answered: by the body, or by its type if the body cannot be read here. */
function hasJsonBody(answer: Head, json: unknown): boolean {
  if (json !== undefined) return true;
  const isReadable = answer.body !== null && header(answer, 'content-encoding') === undefined;
  const isShort = (answer.body?.length ?? 0) <= maxDetailBytes;
  return !(isReadable && isShort) && /\bjson\b/i.test(header(answer, 'content-type') ?? '');
}

/** Bytes of an error body to search for its message. */
const maxDetailBytes = 64 * 1024;

/** The value of an error body; undefined if it is not JSON. */
function parsedBody(body: Buffer | null): unknown {
  try {
    return JSON.parse(body?.toString('utf8', 0, maxDetailBytes).replace(/^\ufeff/, '') ?? '');
  } catch {
    return undefined;
  }
}

function shortened(text: string): string {
  return text.length > maxDetailLength ? `${text.slice(0, maxDetailLength)}…` : text;
}

/** The message in an error body: `detail` as a string, an object with a message, or a list of `{loc, msg}`. */
function messageOf(value: unknown, levels: number): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || levels === 0) return '';
  if (Array.isArray(value)) {
    const messages = value.slice(0, 5).map((each) => messageOf(each, levels - 1));
    return messages.filter(Boolean).join('; ');
  }
  const fields = value as Record<string, unknown>;
  if (typeof fields.msg === 'string') {
    const place = Array.isArray(fields.loc)
      ? fields.loc.filter((part) => typeof part !== 'object').join('.')
      : '';
    return place === '' ? fields.msg : `${place}: ${fields.msg}`;
  }
  for (const name of ['detail', 'message', 'error']) {
    const found = messageOf(fields[name], levels - 1);
    if (found !== '') return found;
  }
  return '';
}
