/** The state of one export on disk, from which `decideExport` decides. */
export interface DiskState {
  /** Pages of an interrupted run. `ours`: that run had the same ID, format, fields, limit and address as this one. */
  readonly pages: 'none' | 'ours' | 'another';
  /**
  /**
   * `none`: FILE does not exist, or is empty. `archive`: FILE is an archive of this ID, its size and time are as recorded,
   * and this run requests an archive. `changed`: the same, but size or time are not as recorded. `foreign`: FILE has a record
   * of another ID. `other`: any other FILE.
   */
  readonly file: 'none' | 'archive' | 'changed' | 'foreign' | 'other';
  /** Whether the folder `.chanlist` existed before this run. */
  readonly hasFolder: boolean;
}

/** Why an export is refused (exit 2). */
export type Refusal = 'another run' | 'not mounted' | 'another file';

/** Decides what a run does with an export: the table of docs/updates.md. Pure. */
export function decideExport(
  { pages, file, hasFolder }: DiskState,
  { update, restart }: { readonly update: boolean; readonly restart: boolean },
): 'export' | 'resume' | 'keep' | 'update' | Refusal {
  if (restart) return 'export';
  if (pages !== 'none') return pages === 'ours' ? 'resume' : 'another run';
  if (file === 'none') return update && !hasFolder ? 'not mounted' : 'export';
  if (file === 'foreign') return 'another file';
  // An update adopts a FILE without a record.
  if (update) return 'update';
  return file === 'other' ? 'another file' : 'keep';
}
