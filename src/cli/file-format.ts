import { extname } from 'node:path';
import { usage } from '../errors.ts';
import { extensions, fileFormats, formatByPath } from '../output/formats.ts';
import type { CommonOptions } from './options.ts';

/** `json, ndjson or csv` */
const either = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** Decides the format of the file of `-o`: as given, else by its extension. Throws a usage error if they do not fit. */
export function fileFormat(output: string, given: CommonOptions['format']): CommonOptions['format'] {
  if (given === 'table') throw usage('cannot write a table to a file', `choose ${either(fileFormats)}`);
  const known = formatByPath(output);
  if (given !== null && known !== undefined && given !== known)
    throw usage(`-o ${output} is a file for ${known}, not for ${given}`, 'change the extension or format');
  const format = given ?? known;
  if (format !== undefined) return format;
  const extension = extname(output).toLowerCase();
  if (['', '.'].includes(extension)) return 'ndjson';
  throw usage(
    `-o ${output}: no format has the extension ${extension}`,
    `add --format ${either(fileFormats)}, or use the extension ${either(extensions)}`,
  );
}
