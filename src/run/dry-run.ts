import { resolveBounds } from '../accounts/bounds.ts';
import { resolveService } from '../accounts/settings.ts';
import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { printRecords } from '../output/print-records.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { sandboxDefaults, servePort } from '../sandbox/defaults.ts';
import { parseAddress } from '../service/address.ts';
import { formatBound } from '../service/budget.ts';
import { requestPath } from '../service/client.ts';
import { defaultNamespace, type Operation } from '../service/contract.ts';
import type { Parameters } from '../service/parameters.ts';
import { credits } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';

/** The first request for a reference. */
export interface PlannedRequest {
  /** As given; null with `--continuation`. */
  readonly reference: string | null;
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** What it, or what follows a free one, costs: `1 credit per page`; absent: nothing follows. */
  readonly next?: string;
}

/** The address that `--sandbox` stands for: that of `chanlist serve`. */
const sandboxAddress = `http://${sandboxDefaults.host}:${servePort}`;

/**
 * Prints the first request of each reference and its cost on stdout (`--dry-run`): as text, or as records with json and
 * ndjson. Sends nothing and needs no key; returns 0.
 */
export async function printDryRun(
  requests: readonly PlannedRequest[],
  options: CommonOptions,
  context: Context,
): Promise<number> {
  const settings = options.sandbox ? null : await resolveService(options, context);
  const service = settings ?? {
    baseUrl: parseAddress(sandboxAddress, '--sandbox').baseUrl,
    namespace: defaultNamespace,
  };
  const planned = requests.map(({ reference, operation, parameters, next }) => ({
    reference,
    method: 'GET',
    url: `${service.baseUrl.origin}${requestPath(service, operation, parameters)}`,
    cost: operation.credits,
    next,
  }));
  const stderr = new Stderr(context, options);
  const { format } = options;
  if (format === 'json' || format === 'ndjson') {
    const records = planned.map(({ next: _, ...record }) => record);
    const fields = ['reference', 'method', 'url', 'cost'] as const;
    await printRecords(records, { ...options, context, stderr, fields });
  } else {
    const bounds =
      settings === null
        ? options.maxCredits
        : resolveBounds(options.maxCredits, context.env, settings.maxCredits);
    const lines = planned.map(({ method, url, cost, next }) => {
      const price = cost === 0 ? 'free' : next === undefined ? credits(cost) : perPage;
      const then = next === undefined || cost > 0 ? '' : `, then ${next}`;
      return `${sanitize(`${method} ${url}`)}  ${price}${then}\n`;
    });
    if (bounds.length > 0 && planned.some(({ cost, next }) => cost > 0 || next !== undefined))
      lines.push(`--max-credits ${bounds.map(formatBound).join(', ')}\n`);
    await new Stdout(context, stderr).write(lines.join(''));
  }
  return 0;
}

/** The cost of a listing. */
export const perPage = '1 credit per page';
