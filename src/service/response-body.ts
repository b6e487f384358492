import { isUtf8 } from 'node:buffer';
import { Failure, systemCode } from '../errors.ts';
import { JsonText } from '../json/json-text.ts';
import { indexJson, maxValues } from '../json/scanner.ts';
import { thousands } from '../text/count.ts';
import { maxBodyBytes, type Response, tooLarge } from './http.ts';

/** Reads the body of a complete 200 as JSON (`JsonText.parse`); throws `invalid_response` if it is not JSON, or too large. */
export async function readBody(response: Response, withMembers: boolean): Promise<JsonText> {
  const sent = await decompressed(response);
  if (!isUtf8(sent)) throw invalid('the response is not UTF-8 text');
  const hasBom = sent[0] === 0xef && sent[1] === 0xbb && sent[2] === 0xbf;
  const bytes = hasBom ? sent.subarray(3) : sent;
  const json = JsonText.parse(bytes, withMembers);
  if (json !== null) return json;
  if (indexJson(bytes) === 'too many values')
    throw invalid(`the response has more than ${thousands(maxValues)} values`);
  throw invalid(`the response is ${String(bytes).trim() === '' ? 'empty' : 'not JSON'}`);
}

const invalid = (message: string): Failure => new Failure('invalid_response', message, { status: 200 });

/**
 * The body without its content encoding: the client requests none, but a service may use one. An encoding that is not
 * known is ignored.
 */
async function decompressed({ headers, body }: Response): Promise<Buffer> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (!['gzip', 'x-gzip', 'deflate', 'br'].includes(encoding)) return body;
  const { brotliDecompressSync, unzipSync } = await import('node:zlib');
  try {
    return (encoding === 'br' ? brotliDecompressSync : unzipSync)(body, { maxOutputLength: maxBodyBytes });
  } catch (error) {
    if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE') throw invalid(`${tooLarge} when decompressed`);
    throw invalid('the compressed body of the response is invalid or incomplete');
  }
}
