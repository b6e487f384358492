import { isUtf8 } from 'node:buffer';
import { Failure, systemCode } from '../errors.ts';
import { JsonText } from '../json/json-text.ts';
import { type Answer, header, maxBodyBytes } from './http.ts';

/**
 * Largest number of JSON values in a response. The largest body of ordinary entries holds half as many. More
 * values, all of them tiny, would take gigabytes of memory.
 */
const maxValues = 4_000_000;

/** Reads the body of a complete 200 as JSON; throws `bad_answer` if it is not JSON. */
export async function readBody(answer: Answer): Promise<JsonText> {
  const sent = await decompressed(answer);
  if (!isUtf8(sent)) throw invalid('the response is not UTF-8 text');
  const hasBom = sent[0] === 0xef && sent[1] === 0xbb && sent[2] === 0xbf;
  const bytes = hasBom ? sent.subarray(3) : sent;
  if (bytes.length > maxValues && countValues(bytes) > maxValues)
    throw invalid(`the response has more than ${maxValues / 1e6} million values`);
  const json = JsonText.parse(bytes);
  if (json !== null) return json;
  const isEmpty = bytes.toString('utf8').trim() === '';
  throw invalid(isEmpty ? 'the response is empty' : 'the response is not JSON');
}

const invalid = (message: string): Failure => new Failure('bad_answer', message, { status: 200 });

/** Roughly the number of JSON values in a text: counts separators, also those inside strings. */
function countValues(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count++;
  return count;
}

/** The body without its content encoding: the client requests none, but a service may use one. */
async function decompressed(answer: Answer): Promise<Buffer> {
  const encoding = (header(answer, 'content-encoding') ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return answer.body;
  const { decompressors } = await import('./decompress.ts');
  const decompress = Object.hasOwn(decompressors, encoding) ? decompressors[encoding] : undefined;
  // The name of the encoding is not shown: remote text may hold a secret.
  if (decompress === undefined)
    throw invalid('the response has an unknown content encoding, which was not requested');
  try {
    return await decompress(answer.body, { maxOutputLength: maxBodyBytes });
  } catch (error) {
    if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE')
      throw invalid(`the response is larger than ${maxBodyBytes / 1024 / 1024} MiB when decompressed`);
    throw invalid('the compressed body of the response is invalid or incomplete');
  }
}
