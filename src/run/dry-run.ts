import type { CreditBound } from '../accounts/bounds.ts';
import { checkSandboxFlags, resolveService } from '../accounts/settings.ts';
import { parseBaseUrl } from '../api/address.ts';
import { requestPath } from '../api/client.ts';
import { defaultNamespace, type Operation } from '../api/contract.ts';
import { describeBound } from '../api/credits.ts';
import { checkParameters, type Parameters } from '../api/parameters.ts';
import type { SharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { sandboxDefaults, servePort } from '../sandbox/defaults.ts';
import { sanitize } from '../text/sanitize.ts';

/** A request that would be sent. */
export interface DryRunRequest {
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** What is asked for next, and in which case. */
  readonly next?: { readonly operation: Operation; readonly when: string };
}

/** The address at which `chanlist serve` answers. */
const sandboxAddress = `http://${sandboxDefaults.host}:${servePort}`;

/** Prints the first request of each reference and its cost on stdout, and sends nothing. Needs no key. */
export async function dryRun(
  requests: readonly DryRunRequest[],
  shared: SharedOptions,
  givenBounds: readonly CreditBound[],
  context: Context,
): Promise<number> {
  checkSandboxFlags(shared);
  const { baseUrl, namespace, maxCredits } = shared.sandbox
    ? { baseUrl: parseBaseUrl(sandboxAddress, '--sandbox'), namespace: defaultNamespace, maxCredits: [] }
    : await resolveService(shared, context);
  const bounds = givenBounds.length > 0 ? givenBounds : maxCredits;
  const lines = requests.map(({ operation, parameters, next }) => {
    checkParameters(operation, parameters);
    const path = requestPath({ baseUrl, namespace }, operation, parameters);
    return `${sanitize(`GET ${baseUrl.origin}${path}`)}  ${cost(operation, bounds)}${next === undefined ? '' : `, then ${cost(next.operation, bounds)}${next.when}`}\n`;
  });
  await new Stdout(context, new Stderr(context.stderr, shared)).write(lines.join(''));
  return 0;
}

function cost(operation: Operation, maxCredits: readonly CreditBound[]): string {
  if (operation.credits === 0) return 'free';
  const price = operation.paged ? '1 credit a page' : '1 credit';
  return maxCredits.length === 0 ? price : `${price}, at most ${maxCredits.map(describeBound).join(', ')}`;
}
