import { basename, dirname, resolve } from 'node:path';
import type { FileFormat } from '../output/formats.ts';
import { commandLine, type Flag } from '../run/command-line.ts';
import { operations, type PagedOperation } from '../service/contract.ts';

/** The facts about an export that its fix needs. */
export interface ExportFacts {
  /** Path as shown. */
  readonly file: string;
  /** Channel or playlist ID; null if nothing names it. */
  readonly id: string | null;
  /** The operation that lists it; null if nothing says which. */
  readonly operation: PagedOperation | null;
  readonly format: FileFormat;
  /** `--fields`, comma separated; null: not given, or not known. */
  readonly fields: string | null;
  /** The `--limit` that cut it; null: it was not cut. */
  readonly limit: number | null;
}

/** The operation that lists what an ID names. */
export function operationOf(id: string): PagedOperation {
  return id.startsWith('UC') ? operations.uploads : operations.playlist;
}

/** The command that resumes an interrupted export; `isUpdate`: it was an update. Null if its reference is not known. */
export function resumeFix(facts: ExportFacts, isUpdate: boolean): string | null {
  return exportCommand(facts, isUpdate ? ['--update'] : []);
}

/** The command that brings an export up to date; without updates, that which exports it again. */
export function updateFix(facts: ExportFacts): string | null {
  return exportCommand(facts, facts.operation?.updatable === false ? ['--restart'] : ['--update']);
}

/** The command that exports it again. */
export function restartFix(facts: ExportFacts): string {
  return exportCommand(facts, ['--restart']) ?? 'restore it from a backup, or export it again with --restart';
}

/** The command that exports a reference for the first time, into a folder if there is one. */
export function firstExportFix(
  operation: PagedOperation,
  reference: string,
  folder: string | null,
  like: Pick<ExportFacts, 'format' | 'fields'> | null,
): string {
  const output =
    folder === null
      ? [{ name: '--output', value: 'FILE' }]
      : [{ name: '--output-dir', value: resolve(folder) }];
  const flags = [...formatFlags(like?.format ?? 'ndjson', 'ndjson', like?.fields ?? null), ...output];
  return commandLine({ name: operation.name, flags }, [reference]);
}

/**
 * Exports named by their ID belong to `--output-dir`, which keeps their memory; others to `-o`, which keeps it with
 * --update.
 */
function exportCommand(facts: ExportFacts, switches: readonly string[]): string | null {
  const { file, id, operation, format, fields } = facts;
  if (id === null || operation === null) return null;
  const path = resolve(file);
  const isOfFolder = basename(path) === `${id}.${format}`;
  const output = isOfFolder
    ? { name: '--output-dir', value: dirname(path) }
    : { name: '--output', value: path };
  const isRemembered = isOfFolder || !operation.updatable;
  // An update takes no limit.
  const limit = facts.limit === null || switches.includes('--update') ? [] : [`${facts.limit}`];
  const given = isRemembered ? switches : ['--update', ...switches.filter((name) => name !== '--update')];
  const flags = [
    ...formatFlags(format, isOfFolder ? 'ndjson' : null, fields),
    output,
    ...limit.map((value) => ({ name: '--limit', value })),
    ...given.map((name): Flag => ({ name, value: null })),
  ];
  return commandLine({ name: operation.name, flags }, [id]);
}

function formatFlags(format: FileFormat, usual: FileFormat | null, fields: string | null): Flag[] {
  return [
    ...(format === usual ? [] : [{ name: '--format', value: format }]),
    ...(fields === null ? [] : [{ name: '--fields', value: fields }]),
  ];
}
