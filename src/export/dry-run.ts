import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { resolveService } from '../accounts/settings.ts';
import type { ListingOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
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
import { type Destination, hasExports } from './folder.ts';
import { inspect } from './inspect.ts';
import { exportFlags } from './locked-export.ts';
import { keptText, notMounted, refusal } from './messages.ts';
import { nextStep, type Step } from './next-step.ts';
import { recordName } from './record.ts';
import { ReferenceIndex } from './references.ts';

/**
 * The first request of each export: what a run would send first now, by the same decision. An export that needs none has
 * no request; warns of those that a run would skip. Throws what a run would refuse.
 */
export async function firstRequests(
  operation: PagedOperation,
  inputs: readonly InputReference[],
  options: ListingOptions,
  destination: Destination,
  context: Context,
): Promise<readonly FirstRequest[]> {
  const { format, folder: parent, file } = destination;
  const now = context.clock.now();
  const service = options.sandbox ? sandboxName : serviceName(await resolveService(options, context));
  const fields = parseFields(options.fields, operation);
  const asked = { operation, options, format, fields };
  const isThere = existsSync(parent);
  const folder = isThere ? PrivateFolder.open(privateFolderOf(parent), { readOnly: true }) : null;
  try {
    if (options.update && folder === null && !hasExports(destination)) throw notMounted(parent);
    const index = new ReferenceIndex(operation.name, format, now);
    if (folder !== null)
      index.read(folder, file === null ? folder.names() : [recordName(basename(file.real))]);
    const requests: FirstRequest[] = [];
    const warnings: Warning[] = [];
    for (const input of inputs) {
      const { reference, value } = input;
      const id = index.knownId(input);
      if (id === null) {
        const parameters = { input: value };
        requests.push({ reference, operation: operations.resolve, parameters, next: perPage });
        continue;
      }
      const target =
        file ?? (isThere ? resolveTarget(`${parent}/${id}.${format}`, { onlyFiles: true }) : null);
      const flags = exportFlags(asked, { id, service, several: inputs.length > 1, now });
      const found =
        target === null ? null : await inspect(folder, index.snapshotOf(target), flags.request, context.stop);
      const step: Step = found === null ? { do: 'full' } : nextStep(found, flags);
      if (step.do === 'refuse' && found !== null)
        throw refusal(step.why, { options, item: input, file: found, flags, record: found.record }).with({
          scope: 'run',
        });
      if (step.do === 'keep' && found !== null)
        warnings.push({ code: step.why, label: input.label, message: keptText(step.why, found, flags) });
      if (step.do === 'keep') continue;
      const progress = step.do === 'resume' ? (found?.record?.progress ?? null) : null;
      // Every page is there: only FILE has to be written, then it is updated.
      const isFetched =
        step.do === 'publish' || (progress !== null && !needsPage(progress, flags.request.limit));
      if (isFetched && !options.update) continue;
      const isUpdate = isFetched || step.do === 'update';
      requests.push({ reference, ...firstRequest(operation, id, isUpdate, progress?.token ?? null) });
    }
    reportWarnings(new Stderr(context, options), warnings);
    return requests;
  } finally {
    folder?.close();
  }
}

function firstRequest(
  operation: PagedOperation,
  id: string,
  isUpdate: boolean,
  token: string | null,
): Omit<FirstRequest, 'reference'> {
  if (isUpdate)
    return {
      operation: operations.latest,
      parameters: { channel: id },
      next: `${perPage} for new entries`,
    };
  const [first] = operation.parameters;
  const parameters = token === null ? { [first.name]: id } : { continuation: token };
  return { operation, parameters, next: perPage };
}
