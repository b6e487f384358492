import { promisify } from 'node:util';
import zlib from 'node:zlib';

type Unpack = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** How each content encoding is undone. Loaded only when an answer is packed. */
export const unpackers: Readonly<Record<string, Unpack | undefined>> = {
  gzip: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  'x-gzip': promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  deflate: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
};
