import { Failure } from '../errors.ts';
import { type Answer, header } from './http.ts';

/** Characters of a service's own message that are passed on at the most. */
const longestDetail = 300;
/** Levels of an error body that are looked into. */
const deepestDetail = 8;
/**
 * The failure that a whole answer other than a 200 means (service specification, section 7; product contract).
 * `hide` takes secrets out of the service's own words before these are cut short.
 */
export function responseFailure(
  answer: Pick<Answer, 'status' | 'headers'> & { body: Buffer | null },
  hide: (text: string) => string,
): Failure {
  const { status } = answer;
  const detail = answer.body === null ? '' : shortened(hide(detailOf(answer.body)));
  const said = detail === '' ? `(${status})` : `(${status}: ${detail})`;
  if (status >= 300 && status < 400) {
    const location = header(answer, 'location');
    const to = location === undefined ? '' : ` to ${shortened(hide(location))}`;
    return new Failure('bad_answer', `the service redirects${to} (${status}), which is not followed`, {
      status,
      hint: 'set the address with --base-url',
    });
  }
  switch (status) {
    case 401:
    case 403:
      return new Failure('unauthorized', `the key was refused ${said}`, {
        status,
        hint: 'see which key is used: chanlist auth status',
      });
    case 402:
      return new Failure('no_credits', `no credits ${said}`, {
        status,
        hint: 'buy credits, then run it again',
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
  return new Failure('bad_answer', `the answer has status ${status}, which makes no sense here`, { status });
}

/** The message in an error body: `detail` as a string, an object with a message, or a list of `{loc, msg}`. */
function detailOf(body: Buffer): string {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8', 0, 64 * 1024).replace(/^\ufeff/, ''));
  } catch {
    return '';
  }
  return messageOf(value, deepestDetail).replace(/\s+/g, ' ').trim();
}

function shortened(text: string): string {
  return text.length > longestDetail ? `${text.slice(0, longestDetail)}…` : text;
}

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
