import { promisify } from 'node:util';
import zlib from 'node:zlib';

type Decompress = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** The function for each content encoding. Loaded only if a response is compressed. */
export const decompressors: Readonly<Record<string, Decompress | undefined>> = {
  gzip: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  'x-gzip': promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  deflate: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
};
