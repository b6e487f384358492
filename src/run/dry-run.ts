import { resolveService } from '../accounts/settings.ts';
import type { SharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { sandboxDefaults, servePort } from '../sandbox/defaults.ts';
import { parseBaseUrl } from '../service/address.ts';
import { describeBound } from '../service/budget.ts';
import { requestPath } from '../service/client.ts';
import { defaultNamespace, type Operation, type PagedOperation } from '../service/contract.ts';
import { checkParameters, type Parameters } from '../service/parameters.ts';
import { sanitize } from '../text/sanitize.ts';

/** A request that would be sent. */
export interface DryRunRequest {
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** The operation that follows, and its condition: '' or ' for new entries'. */
  readonly next?: { readonly operation: Operation; readonly when: string };
  /** What is known without a request. */
  readonly note?: string;
}

/** The address of `chanlist serve`. */
const sandboxAddress = `http://${sandboxDefaults.host}:${servePort}`;

/** Prints the first request of each reference and its cost on stdout, and sends nothing. Needs no key. */
export async function dryRun(
  requests: readonly DryRunRequest[],
  shared: SharedOptions,
  context: Context,
): Promise<number> {
  const settings = shared.sandbox ? null : await resolveService(shared, context);
  const { baseUrl, namespace } = settings ?? {
    baseUrl: parseBaseUrl(sandboxAddress, '--sandbox'),
    namespace: defaultNamespace,
  };
  const { resolveBounds } = await import('../accounts/bounds.ts');
  const bounds = resolveBounds(
    shared.maxCredits,
    shared.sandbox ? {} : context.env,
    settings?.maxCredits ?? [],
  );
  const isPaid = requests.some(
    ({ operation, next }) => operation.credits > 0 || (next?.operation.credits ?? 0) > 0,
  );
  const bound = isPaid && bounds.length > 0 ? `at most ${bounds.map(describeBound).join(', ')}` : null;
  const lines = requests.map(({ operation, parameters, next, note }) => {
    checkParameters(operation, parameters);
    const path = requestPath({ baseUrl, namespace }, operation, parameters);
    const parts = [cost(operation)];
    if (next !== undefined) parts.push(`then ${cost(next.operation)}${next.when}`);
    if (bound !== null && requests.length === 1) parts.push(bound);
    return `${sanitize(`GET ${baseUrl.origin}${path}`)}  ${parts.join(', ')}${note === undefined ? '' : ` (${note})`}\n`;
  });
  if (bound !== null && requests.length > 1) lines.push(`${bound} in all\n`);
  await new Stdout(context, new Stderr(context.stderr, shared)).write(lines.join(''));
  return 0;
}

function cost(operation: Operation): string {
  if (operation.credits === 0) return 'free';
  return operation.answer === 'page' ? '1 credit per page' : '1 credit';
}

/** The request that a listing starts with. */
export function firstRequest(
  operation: PagedOperation,
  start: { readonly value: string | null; readonly token: string | null },
): DryRunRequest {
  const [first] = operation.parameters;
  const parameters =
    start.token === null ? { [first.name]: start.value ?? '' } : { continuation: start.token };
  return { operation, parameters };
}
