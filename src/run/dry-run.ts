import { resolveBounds } from '../accounts/bounds.ts';
import { resolveService } from '../accounts/settings.ts';
import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../errors.ts';
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
export interface FirstRequest {
  /** As given; null with `--continuation`. */
  readonly reference: string | null;
  readonly operation: Operation;
  readonly parameters: Parameters;
  /** What it, or what follows a free one, costs: `1 credit per page`; absent: nothing follows. */
  readonly next?: string;
}

/** The address that a dry run with `--sandbox` prints: that of `chanlist serve`. */
const sandboxAddress = `http://${sandboxDefaults.host}:${servePort}`;

/**
 * Prints the first request of each reference and its cost on stdout (`--dry-run`): as text, or as records with json and
 * ndjson. Sends nothing and needs no key; returns 0.
 */
export async function printDryRun(
  requests: readonly FirstRequest[],
  options: CommonOptions,
  context: Context,
): Promise<ExitCode> {
  const settings = options.sandbox ? null : await resolveService(options, context);
  const { baseUrl } = settings ?? parseAddress(sandboxAddress, '--sandbox');
  const service = { baseUrl, namespace: settings?.namespace ?? defaultNamespace };
  const rows = requests.map(({ reference, operation, parameters, next }) => {
    const url = `${baseUrl.origin}${requestPath(service, operation, parameters)}`;
    return { record: { reference, method: 'GET', url, cost: operation.credits }, next };
  });
  const stderr = new Stderr(context, options);
  if (options.format === 'json' || options.format === 'ndjson') {
    const fields = ['reference', 'method', 'url', 'cost'] as const;
    const records = rows.map(({ record }) => record);
    await printRecords(records, { ...options, context, stderr, fields });
    return 0;
  }
  const lines = rows.map(({ record: { url, cost }, next }) => {
    const price = cost > 0 ? (next ?? credits(cost)) : next === undefined ? 'free' : `free, then ${next}`;
    return `${sanitize(`GET ${url}`)}  ${price}\n`;
  });
  const bounds = resolveBounds(options.maxCredits, settings ? context.env : {}, settings?.maxCredits ?? []);
  if (bounds.length > 0 && rows.some(({ record, next }) => record.cost > 0 || next !== undefined))
    lines.push(`--max-credits ${bounds.map(formatBound).join(', ')}\n`);
  await new Stdout(context, stderr).write(lines.join(''));
  return 0;
}

/** The cost of a listing. */
export const perPage = '1 credit per page';
