import { existsSync } from 'node:fs';
import { resolveService } from '../accounts/settings.ts';
import type { RunOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { toFailure, type Warning } from '../errors.ts';
import { PrivateFolder, privateFolderOf } from '../fs/private-folder.ts';
import { needsPage } from '../run/list-pages.ts';
import type { FirstRequest } from '../run/print-dry-run.ts';
import type { Reference } from '../run/read-references.ts';
import { type Result, resultOf } from '../run/results.ts';
import { sandboxName, serviceName } from '../run/session.ts';
import { operations, type PagedOperation } from '../service/contract.ts';
import { type Destination, openDestination } from './destination.ts';
import { exportSetup, groupById, indexOf } from './export-all.ts';
import { type ExportItem, type ExportSetup, flagsOf, inspect } from './inspect.ts';
import { refusal } from './messages.ts';
import { nextStep } from './next-step.ts';
import { RunFile } from './run-file.ts';

/**
 * The first request of each export, by the decisions of a run, and the results of those that a run would refuse. Sends and
 * changes nothing.
 */
export async function firstRequests(
  operation: PagedOperation,
  inputs: readonly Reference[],
  options: RunOptions,
  destination: Destination,
  context: Context,
): Promise<{ readonly requests: readonly FirstRequest[]; readonly results: readonly Result[] }> {
  const service = options.sandbox ? sandboxName : serviceName(await resolveService(options, context));
  const path = privateFolderOf(destination.folder);
  const folder = existsSync(path) ? PrivateFolder.open(path) : null;
  if (options.update && folder === null) openDestination(destination, true);
  const warn = (_code: Warning['code']): void => {};
  const setup = exportSetup({ context, serviceName: service, warn }, operation, options, destination, folder);
  const index = indexOf(setup, destination);
  const requests = new Map<string, FirstRequest>();
  const known: [Reference, string][] = [];
  for (const input of inputs) {
    const id = index.knownId(input);
    if (id !== null) known.push([input, id]);
    else
      requests.set(input.value, {
        ...input,
        operation: operations.resolve,
        parameters: { input: input.value },
        nextCost: options.update ? 0 : 1,
      });
  }
  const { items, results } = await groupById(known, index, destination);
  for (const item of items) {
    const request = await firstRequest(setup, item).catch((error) =>
      resultOf(item, { failure: toFailure(error) }),
    );
    if ('parameters' in request) requests.set(item.value, request);
    else results.set(item.value, request);
  }
  return {
    requests: inputs.flatMap(({ value }) => requests.get(value) ?? []),
    results: [...results.values()],
  };
}

/** The first request of an export. Throws what a run would refuse. */
async function firstRequest(setup: ExportSetup, item: ExportItem): Promise<FirstRequest> {
  const { operation, options } = setup;
  const [first] = operation.parameters;
  const state = await inspect(setup, item);
  using run = state.run instanceof RunFile ? state.run : null;
  const step = nextStep(state.existing, flagsOf(options));
  switch (step) {
    case 'export':
      return { ...item, operation, parameters: { [first.name]: item.id }, nextCost: 0 };
    case 'keep':
      return { ...item, operation: null, parameters: {} };
    case 'resume': {
      const token = run?.position.token ?? null;
      return token !== null && run !== null && needsPage(run.position, options.limit)
        ? { ...item, operation, parameters: { continuation: token }, nextCost: 0 }
        : { ...item, operation: null, parameters: {} };
    }
    case 'update':
      return { ...item, operation: operations.latest, parameters: { channel: item.id }, nextCost: 0 };
    default:
      throw refusal(step, { ...setup, ...state }).with({ scope: 'reference' });
  }
}
