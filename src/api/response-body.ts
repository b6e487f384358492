import { isUtf8 } from 'node:buffer';
import { Failure } from '../errors.ts';
import { JsonText } from '../json/json-text.ts';
import { type Answer, header, mostBytes } from './http.ts';

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
  const { unpackers } = await import('./decompress.ts');
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
