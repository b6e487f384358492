import { resolveService } from '../accounts/settings.ts';
import type { CommonOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { type ExitCode, gravest } from '../errors.ts';
import type { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { sandboxDefaults, servePort } from '../sandbox/defaults.ts';
import { parseAddress } from '../service/address.ts';
import { type CreditBound, formatBound, resolveBounds } from '../service/budget.ts';
import { requestPath } from '../service/client.ts';
import { defaultNamespace, type Operation, type RequestParameters } from '../service/contract.ts';
import { count, credits } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { printRecords } from './print-records.ts';
import { failureLines } from './report-lines.ts';
import type { Result } from './results.ts';

/** The first request for a reference, or that it needs none. */
export interface FirstRequest {
  /** As given; null with `--continuation`. */
  readonly reference: string | null;
  /** Null: no request is needed. */
  readonly operation: Operation | null;
  readonly parameters: RequestParameters;
  /** What it, or what follows a free one, costs: `1 credit per page`; absent: nothing follows. */
  readonly next?: string;
}

export const perPage = '1 credit per page';

/** The address that a dry run with `--sandbox` prints: that of `chanlist serve`. */
const sandboxAddress = `http://${sandboxDefaults.host}:${servePort}`;

/**
 * Prints the first request of each reference and its cost on stdout (`--dry-run`): as text, or as records with json and
 * ndjson; on stderr what a run would refuse, and the sum. Sends nothing and needs no key; returns the exit code.
 */
export async function printDryRun(
  requests: readonly FirstRequest[],
  options: CommonOptions,
  context: Context,
  stderr: Stderr,
  results: readonly Result[] = [],
): Promise<ExitCode> {
  const settings = options.sandbox ? null : await resolveService(options, context);
  const { baseUrl } = settings ?? parseAddress(sandboxAddress, '--sandbox');
  const service = { baseUrl, namespace: settings?.namespace ?? defaultNamespace };
  const rows = requests.map(({ reference, operation, parameters, next }) => {
    const url = operation && `${baseUrl.origin}${requestPath(service, operation, parameters)}`;
    const record = { reference, method: operation && 'GET', url, cost: operation?.credits ?? 0 };
    return { record, price: priceOf(record.cost, next) };
  });
  if (options.format === 'json' || options.format === 'ndjson') {
    const fields = ['reference', 'method', 'url', 'cost'] as const;
    const records = rows.map(({ record }) => record);
    await printRecords(records, { ...options, context, stderr, fields });
  } else {
    const width = Math.max(...rows.map(({ price }) => price.length));
    const lines = rows.map(({ record: { reference, url }, price }) => {
      const request = url === null ? `no request: ${reference}` : `GET ${url}`;
      return `${price.padEnd(width)}  ${sanitize(request)}\n`;
    });
    await new Stdout(context, stderr).write(lines.join(''));
  }
  for (const { text } of failureLines(results, null, options.sandbox)) stderr.error(text);
  const bounds = resolveBounds(options.maxCredits, settings ? context.env : {}, settings?.maxCredits ?? []);
  stderr.result(sumText(requests, bounds));
  return gravest(results.map(({ failure }) => failure?.exit ?? 0));
}

const priceOf = (cost: number, next: string | undefined): string =>
  cost > 0 ? (next ?? credits(cost)) : next === undefined ? 'free' : `free, then ${next}`;

/** `4 requests, at least 4 credits`, `2 requests, free`; with the bounds of a run that may cost credits. */
export function sumText(requests: readonly FirstRequest[], bounds: readonly CreditBound[]): string {
  const number = requests.filter(({ operation }) => operation !== null).length;
  // A listing has one page at least; what an update will find is not known.
  const least = requests.reduce(
    (sum, { operation, next }) => sum + (next === perPage ? 1 : (operation?.credits ?? 0)),
    0,
  );
  const isExact = requests.every(({ next }) => next === undefined);
  const unknown = requests.find(({ next }) => next !== undefined && next !== perPage)?.next;
  const cost = least > 0 ? `${isExact ? '' : 'at least '}${credits(least)}` : priceOf(0, unknown);
  const bound =
    bounds.length > 0 && cost !== 'free' ? `; --max-credits ${bounds.map(formatBound).join(', ')}` : '';
  return `${count(number, 'request', 'requests')}, ${cost}${bound}`;
}
