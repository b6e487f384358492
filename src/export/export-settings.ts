import { tableInFile } from '../cli/options.ts';
import { parseFields } from '../output/fields.ts';
import { type FormatName, isFileFormat } from '../output/formats.ts';
import type { ListingTask } from '../run/run-listing.ts';
import type { Session } from '../run/session.ts';
import type { ExportRun } from './job.ts';
import { newRowPrinter } from './print-new.ts';

/** The checked options of an export. */
export interface ExportSettings
  extends Pick<ExportRun, 'task' | 'format' | 'fields' | 'folder' | 'remembers'> {}

/** The settings of a call. Exports have only formats that can be read back; throws a usage error for the others. */
export function settingsOf(
  task: ListingTask,
  name: FormatName,
  folder: string | null,
  remembers: boolean,
): ExportSettings {
  const { operation, options } = task;
  if (!isFileFormat(name)) throw tableInFile();
  const fields = options.shared.fields === null ? null : parseFields(options.shared.fields, operation.name);
  return { task, format: name, fields, folder, remembers };
}

export function exportRun(session: Session, settings: ExportSettings): ExportRun {
  const { options } = settings.task;
  return {
    ...settings,
    session,
    moved: new Map(),
    resolved: new Map(),
    feeds: { missingInRow: 0, isDown: false },
    printNew: options.printNew && !options.restart ? newRowPrinter(session, settings.format) : null,
  };
}
