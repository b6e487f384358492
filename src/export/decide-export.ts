/** What a run looks at to decide: the state of one export on disk. */
export interface DiskState {
  /** Pages of an interrupted run. `ours`: of the same ID, format, fields, limit and address. */
  readonly pages: 'none' | 'ours' | 'another';
  /**
   * FILE. `none`: there is none, or an empty one. `archive`: of this ID, as recorded, and asked for as one. `changed`: such
   * an archive, but its size or time are not as recorded. `other`: anything else.
   */
  readonly file: 'none' | 'archive' | 'changed' | 'other';
  /** FILE has a record, but of another ID. */
  readonly belongsToAnotherId: boolean;
  /** There is a `.chanlist`. */
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
