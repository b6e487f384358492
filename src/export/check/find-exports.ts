import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { type Failure, toFailure, usage } from '../../errors.ts';
import { guardFile } from '../../fs/files.ts';
import { resolveTarget } from '../../fs/output-target.ts';
import { PrivateFolder, privateFolderOf } from '../../fs/private-folder.ts';
import { exportName } from '../../output/formats.ts';
import type { InputReference } from '../../run/read-references.ts';
import { noRecord, readRecord, recordedFile, type StoredRecord } from '../record/export-record.ts';

/** An export to check. */
export interface FoundExport {
  readonly path: string;
  /** Name of FILE, links followed: that of its record. */
  readonly name: string;
  /** Null: there is none, or the record in it cannot be read. */
  readonly folder: PrivateFolder | null;
  readonly stored: StoredRecord;
}

/**
 * Finds the exports that paths name: of a folder, what its records name, and files named by an ID. `failures`: what could
 * not be examined; `warnings`: of records that cannot be used. Creates nothing.
 */
export function findExports(paths: readonly string[]): {
  readonly exports: readonly FoundExport[];
  readonly failures: readonly Failure[];
  readonly warnings: readonly string[];
} {
  const exports = new Map<string, FoundExport>();
  const failures: Failure[] = [];
  const warnings: string[] = [];
  const attempt = <T>(work: () => T): T | null => {
    try {
      return work();
    } catch (error) {
      failures.push(toFailure(error));
      return null;
    }
  };
  const openIn = (parent: string): PrivateFolder | null =>
    existsSync(parent)
      ? attempt(() => PrivateFolder.open(privateFolderOf(parent), { readOnly: true }))
      : null;
  const add = (path: string, real: string, folder: PrivateFolder | null): FoundExport => {
    const name = basename(real);
    const stored = folder && attempt(() => readRecord(folder, name));
    if (stored != null && stored.unusable !== null)
      warnings.push(`${path}: its record is ${stored.unusable}; it is checked like a file without one`);
    const added = { path, name, folder: stored && folder, stored: stored ?? noRecord };
    exports.set(real, added);
    return added;
  };
  const addFolder = (path: string): void => {
    const folder = openIn(path);
    const recorded = (folder?.names() ?? []).flatMap((name) => recordedFile(name) ?? []);
    const named = readdirSync(path).filter((name) => exportName.test(name));
    if (named.length === 0 && !existsSync(privateFolderOf(path))) throw nothingFound([path]);
    for (const name of [...new Set([...recorded, ...named])].sort())
      add(join(path, name), realPath(join(path, name)), folder);
  };
  for (const path of paths) {
    attempt(() =>
      guardFile(path, 'read', () => {
        const stats = statSync(path, { throwIfNoEntry: false });
        if (stats?.isDirectory()) return addFolder(path);
        const real = realPath(path);
        const { stored } = add(path, real, openIn(dirname(real)));
        if (stats !== undefined || stored.unusable !== null || stored.record?.progress != null) return;
        exports.delete(real);
        throw usage(`${path}: no such file or folder`, 'check the path, and whether the folder is mounted');
      }),
    );
  }
  return { exports: [...exports.values()], failures, warnings };
}

/** A path without links; the path itself if it is nothing that can be an export, which `checkExport` reports. */
function realPath(path: string): string {
  try {
    return resolveTarget(path).real;
  } catch {
    return path;
  }
}

/** The exports of exactly these references, the references without one, and the other exports. */
export function expectedExports(
  exports: readonly FoundExport[],
  references: readonly InputReference[],
): {
  readonly exports: readonly FoundExport[];
  readonly absent: readonly InputReference[];
  readonly others: readonly FoundExport[];
} {
  const matches = new Set<FoundExport>();
  const absent = references.filter((input) => {
    const found = exports.filter(({ stored: { record }, path }) => {
      const id = record?.request.id ?? basename(path, extname(path));
      return id === input.id || (record !== null && Object.hasOwn(record.references, input.value));
    });
    for (const each of found) matches.add(each);
    return found.length === 0;
  });
  return { exports: [...matches], absent, others: exports.filter((each) => !matches.has(each)) };
}

/** A path with nothing to check is an error: it may be wrong, or not mounted. */
const nothingFound = (paths: readonly string[]): Failure =>
  usage(`no exports in ${paths.join(', ')}`, 'check the path, and whether the folder is mounted');
