import { usage } from '../errors.ts';
import { computedFields, shownEntries } from '../output/fields.ts';
import { operations } from '../service/contract.ts';
import { shellQuote } from '../text/shell-quote.ts';
import { longFlag } from './flag.ts';
import { flagsOf } from './flags.ts';
import { localReports } from './global-flags.ts';
import { assertFileFormat, effectiveFormat, type Flag, fileOptions, type ListingOptions } from './options.ts';

type Options = Pick<ListingOptions, 'format' | 'output' | 'fields'> & Partial<ListingOptions>;

/**
 * Throws a usage error for a flag that the command does not take, for flags that exclude or need each other, and for a
 * format that does not fit. `path`: the command; `typed`: its flags.
 */
export function assertFlags(path: string, typed: readonly Flag[], options: Options): void {
  const rows = flagsOf(path);
  const foreign = typed.find(({ name }) => !rows.some((row) => longFlag(row) === name));
  if (foreign !== undefined)
    throw usage(`${path} does not take ${foreign.name}`, `see: chanlist help ${path}`);
  const [one, other] = new Set(typed.flatMap(({ name, value }) => (name === '--format' ? [value] : [])));
  if (other !== undefined) throw usage(`conflicting formats: ${one} and ${other}`, 'choose one');
  if (typed.filter(({ name }) => name === '--from').length > 1)
    throw usage('--from is given twice', 'put all references into one list');
  // `-o -` is stdout.
  const names = typed
    .map(({ name }) => name)
    .filter((name) => name !== '--output' || options.output !== null);
  for (const row of rows.filter((each) => names.includes(longFlag(each))))
    for (const [flag, why] of Object.entries(row.excludes ?? {}))
      if (names.includes(flag)) throw usage(`${longFlag(row)} and ${flag} exclude each other`, why);
  if (options.printNew && !options.update)
    throw usage('--print-new needs --update', 'it prints the entries that --update adds');
  assertFormat(path, fileOptions(options));
}

function assertFormat(path: string, options: Options): void {
  const { format, output, outputDir, fields, update } = options;
  if (format === 'id' && localReports.includes(path))
    throw usage(`${path} does not print id`, 'choose table, json, ndjson or csv');
  if (format === 'id' && fields !== null)
    throw usage('-f id prints the ID alone and takes no --fields', 'use -f csv');
  if (output !== null) assertFileFormat(output, format);
  if (outputDir != null && format !== null && format !== 'ndjson')
    throw usage(
      `--output-dir writes ndjson, not ${format}`,
      `leave out --format, then: chanlist show ${shellQuote(outputDir)}/*.ndjson -f ${format}`,
    );
  if (!update) return;
  const fileFormat = effectiveFormat(options, false);
  if (fileFormat !== 'ndjson') {
    const archive = shellQuote(`${output?.replace(/\.\w+$/, '') ?? 'FILE'}.ndjson`);
    const hint = `update ${archive}, then: chanlist show ${archive} -f ${fileFormat}${output === null ? '' : ` -o ${shellQuote(output)}`}`;
    throw usage(`--update works with ndjson, not with ${fileFormat}`, hint);
  }
  if (!nameVideoId(fields))
    throw usage('--update needs videoId among the --fields', 'it recognizes known entries by it');
}

/** Whether entries with these `--fields` (null: all) have the ID by which an update recognizes them. */
export const nameVideoId = (fields: string | null): boolean =>
  fields === null || fields.split(',').some((name) => ['videoId', '*'].includes(name.trim()));

/** Throws a usage error for text that is not UTF-8: Node puts U+FFFD in place of what it cannot read. */
export function assertText(words: readonly string[]): void {
  const wrong = words.find((word) => word.includes('\ufffd'));
  if (wrong !== undefined) throw usage(`'${wrong}' is not UTF-8 text`, 'type it again');
}

/**
 * Throws a usage error for a list of fields beside `--json` or `--ndjson`, where other programs expect one. No reference
 * looks like that; a query or a file may, so there the list has to name a known field.
 */
export function assertNoFieldList(words: readonly string[], path: string, typed: readonly Flag[]): void {
  const format = typed.find(({ name }) => name === '--format')?.value;
  if (format !== 'json' && format !== 'ndjson') return;
  const known: readonly string[] = [...shownEntries.documentedFields, ...computedFields];
  const areReferences = path in operations && path !== 'search';
  const list = words
    .filter((word) => /^[\w.*@]+(?:,[\w.*@]+)+$/.test(word))
    .find((word) => areReferences || word.split(',').some((name) => known.includes(name)));
  if (list !== undefined) throw usage(`--${format} takes no value`, `name the fields with --fields ${list}`);
}
