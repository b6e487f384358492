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
import type { Warning } from '../run/open.ts';
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
  const service = options.sandbox ? 'sandbox' : await serviceName(options, context);
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
      const progress = step.do === 'resume' ? found?.record?.progress : null;
      // Every page is there: only FILE has to be written.
      if (step.do === 'keep' || step.do === 'publish' || progress?.hasMore === false) continue;
      requests.push({ reference, ...firstRequest(step, operation, id, progress?.token ?? null) });
    }
    reportWarnings(new Stderr(context, options), warnings);
    return requests;
  } finally {
    folder?.close();
  }
}

function firstRequest(
  { do: step }: Step,
  operation: PagedOperation,
  id: string,
  token: string | null,
): Omit<FirstRequest, 'reference'> {
  if (step === 'update')
    return {
      operation: operations.latest,
      parameters: { channel: id },
      next: `${perPage} for new entries`,
    };
  const [first] = operation.parameters;
  const parameters = token === null ? { [first.name]: id } : { continuation: token };
  return { operation, parameters, next: perPage };
}

async function serviceName(options: ListingOptions, context: Context): Promise<string> {
  const { baseUrl, namespace } = await resolveService(options, context);
  return `${baseUrl.href} ${namespace}`;
}
