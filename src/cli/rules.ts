import { usage } from '../errors.ts';
import { flagsOf, localReports, longFlag } from './flags.ts';
import type { Flag } from './invocation.ts';
import { effectiveFormat, type OutputOptions, tableInFile } from './options.ts';

/** Flags that exclude each other, and why. */
export const conflicts: readonly (readonly [flag: string, other: string, why: string])[] = [
  ...['--profile', '--base-url', '--namespace', '--key-file'].map(
    (flag) => ['--sandbox', flag, 'the sandbox needs no account'] as const,
  ),
  ['--output', '--output-dir', 'choose one'],
  ['--continuation', '--output', 'a listing from a token goes to stdout'],
  ['--continuation', '--output-dir', 'a listing from a token goes to stdout'],
  ['--continuation', '--from', 'the token says where to start'],
  ['--update', '--limit', 'an update keeps every entry of the file'],
  ['--update', '--continuation', 'an update starts at the first page'],
  ['--update', '--restart', '--update adds to the file, --restart replaces it'],
];

/**
 * Checks the flags of a command line against each other. `path`: the command. Throws usage errors for a common flag
 * that the command does not take, for flags that exclude or need each other, and for a format that does not fit.
 */
export function checkFlags(path: string, typed: readonly Flag[], options: Partial<OutputOptions>): void {
  const taken = new Set(flagsOf(path).map(longFlag));
  const wrong = typed.find(({ name }) => !taken.has(name));
  if (wrong !== undefined) throw usage(`${path} does not take ${wrong.name}`, `see: chanlist help ${path}`);
  if (typed.filter(({ name }) => name === '--from').length > 1)
    throw usage('--from is given twice', 'put all references into one list');
  const given = new Set(
    typed.filter(({ name, value }) => name !== '--output' || value !== '-').map(({ name }) => name),
  );
  for (const [flag, other, why] of conflicts)
    if (given.has(flag) && given.has(other)) throw usage(`${flag} and ${other} exclude each other`, why);
  if (given.has('--print-new') && !given.has('--update'))
    throw usage('--print-new needs --update', 'it prints the entries that --update adds');
  for (const flag of ['--update', '--restart'])
    if (given.has(flag) && !given.has('--output') && !given.has('--output-dir'))
      throw usage(`${flag} needs a file`, 'name it with -o FILE or --output-dir DIR');
  const { format = null, output = null, fields = null } = options;
  if (format === 'id' && localReports.includes(path))
    throw usage(`${path} does not print id`, 'choose table, json, ndjson or csv');
  if (given.has('--output-dir') && format === 'table') throw tableInFile();
  const effective = output === null ? format : effectiveFormat({ format, output }, false);
  if (!given.has('--update')) return;
  if (effective === 'json') throw usage('--update does not work with json', 'choose ndjson, csv or id');
  if (!nameVideoId(fields))
    throw usage('--update needs videoId among the --fields', 'it recognizes known entries by it');
}

/** Whether entries with these `--fields` (null: all) have the ID by which an update recognizes them. */
export const nameVideoId = (fields: string | null): boolean =>
  fields === null || fields.split(',').some((name) => ['videoId', '*'].includes(name.trim()));

/** Throws a usage error for an argument that is not UTF-8: Node puts U+FFFD in place of what it cannot read. */
export function checkText(argv: readonly string[]): void {
  const wrong = argv.find((word) => word.includes('\ufffd'));
  if (wrong !== undefined) throw usage(`'${wrong}' is not UTF-8 text`, 'type it again');
}

/** Throws a usage error for a list of fields after `--json` or `--ndjson`, where other programs expect one. */
export function checkWordAfterJson(argv: readonly string[]): void {
  const line = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const at = line.findIndex((word, i) => {
    return /^--(?:nd)?json$/.test(line[i - 1] ?? '') && /^[\w.*@]+(?:,[\w.*@]+)+$/.test(word);
  });
  if (at > 0) throw usage(`${line[at - 1]} takes no value`, `name the fields with --fields ${line[at]}`);
}
