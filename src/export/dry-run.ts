import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { resolveService } from '../accounts/settings.ts';
import type { ListingOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { type Failure, toFailure } from '../errors.ts';
import { resolveTarget } from '../fs/output-target.ts';
import { PrivateFolder, privateFolderOf } from '../fs/private-folder.ts';
import { parseFields } from '../output/fields.ts';
import { Stderr } from '../output/stderr.ts';
import { type FirstRequest, perPage } from '../run/dry-run.ts';
import { needsPage } from '../run/listing.ts';
import { sandboxName, serviceName, type Warning } from '../run/open.ts';
import type { InputReference } from '../run/references.ts';
import { reportWarnings } from '../run/report.ts';
import { operations, type PagedOperation } from '../service/contract.ts';
import { afterRun } from './after-run.ts';
import { type Destination, hasExports } from './folder.ts';
import { needsDates, nothingChecked } from './full.ts';
import { inspect } from './inspect.ts';
import { exportFlags } from './locked-export.ts';
import { type Asked, keptText, notMounted, refusal, unresumable } from './messages.ts';
import { type ExportFlags, flagsLeft, nextStep, type Step } from './next-step.ts';
import { positionOf, recordName } from './record.ts';
import { ReferenceIndex } from './references.ts';
import { readRows } from './rows.ts';

/**
 * The first request of each export: what a run would send first now, by the same decisions; and the failures of exports
 * that it would refuse. Warns of those that it would skip. Throws the failure of a single reference.
 */
export async function firstRequests(
  operation: PagedOperation,
  inputs: readonly InputReference[],
  options: ListingOptions,
  destination: Destination,
  context: Context,
): Promise<{ readonly requests: readonly FirstRequest[]; readonly failures: readonly Failure[] }> {
  const { format, folder: parent, file } = destination;
  const now = context.clock.now();
  const service = options.sandbox ? sandboxName : serviceName(await resolveService(options, context));
  const fields = parseFields(options.fields, operation);
  const isThere = existsSync(parent);
  const folder = isThere ? PrivateFolder.open(privateFolderOf(parent), { readOnly: true }) : null;
  try {
    if (options.update && folder === null && !hasExports(destination)) throw notMounted(parent);
    const index = new ReferenceIndex(operation.name, format, now);
    if (folder !== null)
      index.read(folder, file === null ? folder.names() : [recordName(basename(file.real))]);
    const requests: FirstRequest[] = [];
    const failures: Failure[] = [];
    const warnings: Warning[] = [];
    const ids = new Set<string>();

    const addRequest = async (input: InputReference, id: string): Promise<void> => {
      const { reference, label } = input;
      const asked = { id, service, several: inputs.length > 1, now };
      const flags = exportFlags({ operation, options, format, fields }, asked);
      const target =
        file ?? (isThere ? resolveTarget(`${parent}/${id}.${format}`, { onlyFiles: true }) : null);
      let step: Step | null = { do: 'full' };
      let token: string | null = null;
      if (target !== null) {
        const found = await inspect(folder, index.snapshotOf(target), flags.request, context.stop);
        const { record } = found;
        step = await firstStep(folder, { options, item: input, file: found, flags, record }, context.stop);
        if (step?.do === 'keep')
          warnings.push({ code: step.why, label, message: keptText(step.why, found, flags) });
        if (step?.do === 'resume') token = record?.progress?.token ?? null;
      }
      if (step === null || step.do === 'keep') return;
      const isFeedFirst = step.do === 'update' || (step.do === 'full' && needsDates(operation, fields));
      const [first] = operation.parameters;
      if (isFeedFirst) {
        const next = step.do === 'update' ? `${perPage} for new entries` : perPage;
        requests.push({ reference, operation: operations.latest, parameters: { channel: id }, next });
      } else {
        const parameters = token === null ? { [first.name]: id } : { continuation: token };
        requests.push({ reference, operation, parameters, next: perPage });
      }
    };

    for (const input of inputs) {
      const { reference, value, label } = input;
      const id = index.knownId(input);
      if (id === null)
        requests.push({
          reference,
          operation: operations.resolve,
          parameters: { input: value },
          next: perPage,
        });
      // References to one channel or playlist are one export.
      if (id === null || ids.has(id)) continue;
      ids.add(id);
      try {
        await addRequest(input, id);
      } catch (error) {
        const failure = toFailure(error);
        if (inputs.length === 1) throw failure.with({ scope: 'run' });
        failures.push(failure.with({ message: `${label}: ${failure.message}` }));
      }
    }
    reportWarnings(new Stderr(context, options), warnings);
    return { requests, failures };
  } finally {
    folder?.close();
  }
}

/** The first step of a run that may need a request; null: none does. Throws what a run would refuse. */
async function firstStep(
  folder: PrivateFolder | null,
  asked: Asked & { readonly flags: ExportFlags },
  stop: AbortSignal,
): Promise<Step | null> {
  const { file, flags, record } = asked;
  const progress = record?.progress ?? null;
  let step: Step | null = nextStep(file, flags);
  if (folder !== null && record !== null && progress !== null) {
    const { result } = progress;
    if (step.do === 'publish' && result !== null) {
      const left = flagsLeft(step, progress, null, flags);
      const outcome = { kind: 'replaced', progress, finished: result, check: nothingChecked } as const;
      const published = { ...file, pending: null, state: 'recorded', finished: result } as const;
      step = left && nextStep({ ...published, record: afterRun(record, outcome, flags.now) }, left);
    } else if (step.do === 'resume') {
      const rows = await readRows(folder, progress, stop);
      const isDamaged = typeof rows === 'string';
      const left = flagsLeft(step, progress, isDamaged ? 'unresumable' : null, flags);
      if (isDamaged && left === null) throw unresumable(asked, rows, { exit: 1 });
      if (isDamaged && left !== null) step = nextStep(file, left);
      // Every page is there: FILE is written, and updated with --update.
      else if (!needsPage(positionOf(progress), flags.request.limit)) step = left && { do: 'update' };
    }
  }
  if (step?.do === 'refuse') throw refusal(step.why, asked);
  return step;
}
