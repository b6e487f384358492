import type { PagesFile } from '../archive/pages-file.ts';
import { matchesStamp } from '../archive/record.ts';
import { decideExport } from './decide-export.ts';
import type { ExportItem } from './export-item.ts';
import { refusal } from './messages.ts';

/** What a run does with an export. `pages`: the pages of the interrupted run that it resumes; null for a new run. */
export type Plan =
  /** FILE is an archive already. */
  | { readonly action: 'keep' }
  | { readonly action: 'export' | 'update'; readonly pages: PagesFile | null }
  /** The new FILE of an interrupted run is in place: only its record is missing. */
  | { readonly action: 'finish'; readonly pages: PagesFile };

/** Decides what a run, or a dry run, does with an export. Throws a usage error if `decideExport` refuses it. */
export function planExport(item: ExportItem): Plan {
  const { onDisk, exportFolder, interrupted, target } = item;
  const decision = decideExport(onDisk, exportFolder.options);
  switch (decision) {
    case 'keep':
      return { action: 'keep' };
    case 'export':
    case 'update':
      return { action: decision, pages: null };
    case 'resume':
      if (interrupted === null) throw new Error('nothing to resume');
      if (matchesStamp(target.stats, interrupted.end)) return { action: 'finish', pages: interrupted };
      return { action: interrupted.header.update === null ? 'export' : 'update', pages: interrupted };
    default:
      throw refusal(decision, item);
  }
}
