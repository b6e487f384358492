import type { Target } from '../fs/target.ts';
import type { Field } from '../output/fields.ts';
import type { Listing, ListStart } from '../run/listing-plan.ts';
import type { Receipt } from '../run/receipts.ts';
import type { Call } from '../run/session.ts';
import { PartialFile } from './partial-file.ts';
import type { FileFormat } from './read/read-file.ts';
import type { Identity, State } from './state.ts';

/** What every export of a call has in common. */
export interface ExportSettings {
  readonly listing: Listing;
  readonly format: FileFormat;
  readonly fields: readonly Field[] | null;
}

/** One reference on its way into one file. */
export interface ExportTask {
  readonly call: Call;
  readonly settings: ExportSettings;
  readonly start: ListStart;
  readonly target: Target;
  readonly receipt: Receipt;
  /** Called when all that is paid for is in the part file, before that takes FILE's place. */
  finishing?(): Promise<void>;
}

/** What an interrupted export must agree with to be gone on with. */
export function identityOf({ call, settings, start }: ExportTask): Identity {
  return {
    command: settings.listing.operation.name,
    reference: start.value ?? `--continuation ${start.token}`,
    format: settings.format,
    fields: settings.fields?.map(({ name }) => name).join(',') ?? null,
    service: call.serviceName,
  };
}

/** Opens the file of a task: goes on with what was interrupted, or begins. */
export function openExport(task: ExportTask, mode: State['mode'], restart: boolean): Promise<PartialFile> {
  const { call, target } = task;
  const now = call.context.clock.now();
  return PartialFile.open(target, identityOf(task), { restart, mode, now });
}

/** Says, with -v, that an interrupted run had everything and only the last step was left. */
export function tellDone({ call, target }: ExportTask, { state }: PartialFile): void {
  call.stderr.verbose(
    `${target.path}: finished what was interrupted; begun ${state.started}, nothing had to be paid for`,
  );
}
