/** The state of one export on disk, from which `decideExport` decides. */
export interface DiskState {
  /** Pages of an interrupted run. `ours`: that run had the same ID, format, fields, limit and address as this one. */
  readonly pages: 'none' | 'ours' | 'another';
  /**
   * `none`: FILE does not exist, or is empty. `archive`: FILE is an archive of this ID, its size and time are as recorded,
   * and this run requests an archive. `changed`: the same, but size or time are not as recorded. `other`: any other FILE.
   */
  readonly file: 'none' | 'archive' | 'changed' | 'other';
  /** Whether FILE has a record of another ID. */
  readonly belongsToAnotherId: boolean;
  /** Whether the folder `.chanlist` existed before this run. */
  readonly hasFolder: boolean;
}

/** Why an export is refused (exit 2). */
export type Refusal = 'another run' | 'not mounted' | 'another file';

/** Decides what a run does with an export: the table of docs/updates.md. Pure. */
export function decideExport(
  { pages, file, belongsToAnotherId, hasFolder }: DiskState,
  { update, restart }: { readonly update: boolean; readonly restart: boolean },
): 'export' | 'resume' | 'keep' | 'update' | Refusal {
  if (restart) return 'export';
  if (pages !== 'none') return pages === 'ours' ? 'resume' : 'another run';
  if (file === 'none') return update && !hasFolder ? 'not mounted' : 'export';
  if (file === 'archive' || file === 'changed') return update ? 'update' : 'keep';
  // A FILE without a record is adopted by an update.
  return update && !belongsToAnotherId ? 'update' : 'another file';
}
