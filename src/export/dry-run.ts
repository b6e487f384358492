import { existsSync } from 'node:fs';
import { resolveService } from '../accounts/settings.ts';
import type { ListingOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { Warning } from '../errors.ts';
import { PrivateFolder, privateFolderOf } from '../fs/private-folder.ts';
import type { Stderr } from '../output/stderr.ts';
import { type FirstRequest, perPage } from '../run/print-dry-run.ts';
import type { InputReference } from '../run/read-references.ts';
import { reportWarnings } from '../run/report.ts';
import { type Result, resultOf } from '../run/results.ts';
import { sandboxName, serviceName } from '../run/session.ts';
import { operations, type PagedOperation } from '../service/contract.ts';
import type { Step } from './decide/next-step.ts';
import { type Destination, hasExports } from './destination.ts';
import { exportSetup, groupById, readRecords } from './export-all.ts';
import { exportOne } from './export-one.ts';
import type { ExportFile } from './inspect/inspect-export.ts';
import type { ExportSetup, ExportState, Performer } from './locked-export.ts';
import { keptText, notMounted } from './messages.ts';
import { needsDates } from './perform/latest-feed.ts';
import { afterRun, nothingChecked } from './record/after-run.ts';
import { isFetched, type Progress } from './record/export-record.ts';
import type { Resolved } from './record/reference-index.ts';

/**
 * The first request of each export, by the decisions of a run, and the results of exports, also those that it would
 * refuse. Warns of those that it would skip; sends and changes nothing.
 */
export async function findFirstRequests(
  operation: PagedOperation,
  inputs: readonly InputReference[],
  options: ListingOptions,
  destination: Destination,
  context: Context,
  stderr: Stderr,
): Promise<{ readonly requests: readonly FirstRequest[]; readonly results: readonly Result[] }> {
  const { folder: parent } = destination;
  const service = options.sandbox ? sandboxName : serviceName(await resolveService(options, context));
  const warnings: Warning[] = [];
  const warn = (code: Warning['code'], label: string | null, message: string): void =>
    void warnings.push({ code, label, message });
  const shared = { warn, context, serviceName: service, several: inputs.length > 1 };
  const isThere = existsSync(parent);
  using folder = isThere ? PrivateFolder.open(privateFolderOf(parent), { readOnly: true }) : null;
  if (options.update && folder === null && !hasExports(destination)) throw notMounted(parent);
  const setup = exportSetup(shared, operation, options, destination, folder);
  const index = readRecords(setup, destination);
  const performer = new DryPerformer();
  const { items, results } = await groupById(setup, knownReferences(), index, destination);
  for (const item of items) results.set(item.value, await exportOne(setup, item, performer));
  reportWarnings(stderr, warnings);
  const requests = inputs
    .filter(({ value }) => results.get(value)?.failure == null)
    .flatMap(({ reference }) => performer.requests.get(reference) ?? []);
  return { requests, results: [...results.values()] };

  /** References whose ID is known; a run would resolve the others first. */
  async function* knownReferences(): AsyncGenerator<[InputReference, Resolved]> {
    for (const input of inputs) {
      const id = index.knownId(input);
      if (id !== null && !isThere) performer.firstPage(setup, input.reference, id);
      else if (id !== null) yield [input, { id, references: {} }];
      else {
        // What a run would do with an export that is there is known only once its ID is.
        const next = index.isRecorded(input) ? `${perPage} that is needed` : perPage;
        performer.add(input.reference, operations.resolve, { input: input.value }, next);
      }
    }
  }
}

/** Finds the first request of each reference. */
class DryPerformer implements Performer<ExportSetup> {
  readonly requests = new Map<string, FirstRequest>();

  /** The first request of a reference, and the cost of what follows it. */
  add(
    reference: string,
    name: FirstRequest['operation'],
    parameters: FirstRequest['parameters'],
    next: string | null,
  ): void {
    this.requests.set(reference, { reference, operation: name, parameters, ...(next !== null && { next }) });
  }

  async perform(
    step: Step,
    { item, file, flags, operation, fields, warn }: ExportSetup & ExportState,
  ): Promise<Result> {
    const { reference, id } = item;
    const token = step.do === 'resume' ? (file.progress?.token ?? null) : null;
    if (step.do === 'keep') warn(`kept: ${step.why}`, item.label, keptText(step.why, file, flags));
    if (step.do === 'keep' || isFree(step, file.progress)) this.add(reference, null, {}, null);
    else if (step.do === 'update' || step.do === 'adopt')
      this.add(reference, operations.latest, { channel: id }, `${perPage} for new entries`);
    else if (token !== null) this.add(reference, operation, { continuation: token }, perPage);
    else this.firstPage({ operation, fields }, reference, id);
    return resultOf(item, { entries: file.entries });
  }

  /** The first request of a whole list. */
  firstPage(
    { operation, fields }: Pick<ExportSetup, 'operation' | 'fields'>,
    reference: string,
    id: string,
  ): void {
    const [first] = operation.parameters;
    if (needsDates(operation, fields)) this.add(reference, operations.latest, { channel: id }, perPage);
    else this.add(reference, operation, { [first.name]: id }, perPage);
  }

  /** FILE as it would be after a step that needs no request. */
  async inspectAgain(step: Step, { file, record, flags }: ExportState): Promise<ExportFile | null> {
    const { progress } = file;
    if (progress === null || !isFree(step, progress)) return null;
    const { entries } = progress;
    const unknown = { size: 0, mtime: 0, inode: 0, digest: '', entries, exported: progress.started };
    const finished = progress.newFile ?? record.finished ?? unknown;
    const outcome = { kind: 'replaced', progress, finished, check: nothingChecked } as const;
    const next = afterRun(record, outcome, flags.now);
    return { ...file, record: next, progress: null, isInPlace: false, state: 'recorded' };
  }
}

/** Whether a step needs no request. */
const isFree = ({ do: step }: Step, progress: Progress | null): boolean =>
  step === 'record' || (step === 'resume' && progress !== null && isFetched(progress));
