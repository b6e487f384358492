import { isUtf8 } from 'node:buffer';
import { Failure } from '../errors.ts';
import { type Answer, header, mostBytes } from './http.ts';
import { JsonText } from './json-text.ts';

/** Characters of a service's own message that are passed on at the most. */
const longestDetail = 300;
/** Levels of an error body that are looked into. */
const deepestDetail = 8;
/**
 * JSON values of an answer at the most. The largest body of ordinary entries holds half of that; more of them,
 * all tiny, would take gigabytes of memory.
 */
const mostValues = 4_000_000;

/** Reads the body of a whole 200 as JSON; throws `bad_answer` where it makes no sense. */
export async function readBody(answer: Answer): Promise<JsonText> {
  const sent = await unpack(answer);
  if (!isUtf8(sent)) throw new Failure('bad_answer', 'the answer is not UTF-8 text', { status: 200 });
  const marked = sent[0] === 0xef && sent[1] === 0xbb && sent[2] === 0xbf;
  const bytes = marked ? sent.subarray(3) : sent;
  if (bytes.length > mostValues && countValues(bytes) > mostValues) {
    throw new Failure('bad_answer', `an answer of over ${mostValues / 1e6} million values`, { status: 200 });
  }
  const json = JsonText.parse(bytes);
  if (json !== null) return json;
  const what = bytes.toString('utf8').trim() === '' ? 'the answer is empty' : 'the answer is not JSON';
  throw new Failure('bad_answer', what, { status: 200 });
}

/** About how many JSON values a text holds: what separates them, inside strings too. */
function countValues(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count++;
  return count;
}

/** No encoding is asked for; a service that packs all the same is understood. */
async function unpack(answer: Answer): Promise<Buffer> {
  const encoding = (header(answer, 'content-encoding') ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return answer.body;
  const { unpackers } = await import('./unpack.ts');
  const unpacker = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined;
  if (unpacker === undefined) {
    // Its name is not shown: whatever the service says may be a secret.
    const what = 'the answer is packed in an unknown way, which was not asked for';
    throw new Failure('bad_answer', what, { status: 200 });
  }
  try {
    return await unpacker(answer.body, { maxOutputLength: mostBytes });
  } catch {
    throw new Failure(
      'bad_answer',
      `the answer does not unpack to less than ${mostBytes / 1024 / 1024} MiB`,
      {
        status: 200,
      },
    );
  }
}

/**
 * The failure that a whole answer other than a 200 means (service specification, section 7; product contract).
 * `hide` takes secrets out of the service's own words before these are cut short.
 */
export function answerFailure(
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
