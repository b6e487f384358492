import { isUtf8 } from 'node:buffer';
import { Failure, systemCode } from '../errors.ts';
import { JsonText } from '../json/json-text.ts';
import { maxBodyBytes, type Response, tooLarge } from './http.ts';

/** Reads the body of a complete 200 as JSON; throws `bad_answer` if it is not JSON. */
export async function readBody(response: Response): Promise<JsonText> {
  const sent = await decompressed(response);
  if (!isUtf8(sent)) throw invalid('the response is not UTF-8 text');
  const hasBom = sent[0] === 0xef && sent[1] === 0xbb && sent[2] === 0xbf;
  const bytes = hasBom ? sent.subarray(3) : sent;
  const json = JsonText.parse(bytes);
  if (json !== null) return json;
  throw invalid(`the response is ${String(bytes).trim() === '' ? 'empty' : 'not JSON'}`);
}

const invalid = (message: string): Failure => new Failure('bad_answer', message, { status: 200 });

/** The body without its content encoding: the client requests none, but a service may use one. */
async function decompressed({ headers, body }: Response): Promise<Buffer> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding === 'identity') return body;
  const { brotliDecompressSync, unzipSync } = await import('node:zlib');
  try {
    return (encoding === 'br' ? brotliDecompressSync : unzipSync)(body, { maxOutputLength: maxBodyBytes });
  } catch (error) {
    if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE') throw invalid(`${tooLarge} when decompressed`);
    throw invalid('the compressed body of the response is invalid or incomplete');
  }
}
