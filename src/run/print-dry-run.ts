import { resolveAccount } from '../accounts/settings.ts';
import type { CommonOptions } from '../cli/options.ts';
import { type ExitCode, mostSevere } from '../errors.ts';
import { printRows } from '../output/print-rows.ts';
import type { Streams } from '../output/stdout.ts';
import { sandboxDefaults, servePort } from '../sandbox/defaults.ts';
import { parseAddress } from '../service/address.ts';
import { requestUrl } from '../service/client.ts';
import { defaultNamespace, type Operation, type RequestParameters } from '../service/contract.ts';
import { count, countCredits, longestLength } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { failureLines } from './ending.ts';
import type { Result } from './results.ts';

export interface FirstRequest {
  /** As given; null with `--continuation`. */
  readonly reference: string | null;
  /** Null if no request is needed. */
  readonly operation: Operation | null;
  readonly parameters: RequestParameters;
  /** Minimum cost of the requests that follow; absent if no request follows. */
  readonly nextCost?: number;
}

/** The first request of each reference, and the results of those that a run would refuse. */
export interface DryRun {
  readonly requests: readonly FirstRequest[];
  readonly results: readonly Result[];
}

/** Prints the first request of each reference and its cost. Sends nothing; returns the exit code. */
export async function printDryRun(
  { requests, results }: DryRun,
  options: CommonOptions,
  streams: Streams,
): Promise<ExitCode> {
  const { context, stdout, stderr } = streams;
  // A dry run starts no sandbox: it prints the address of `chanlist serve`.
  const sandbox = `http://${sandboxDefaults.host}:${servePort}`;
  const service = options.sandbox
    ? { baseUrl: parseAddress(sandbox, '--sandbox').baseUrl, namespace: defaultNamespace }
    : await resolveAccount(options, context);
  // Refuse a proxy that cannot be used.
  const { findTunnel } = await import('../service/dispatcher.ts');
  await findTunnel(service.baseUrl, context.env);
  const rows = requests.map(({ reference, operation, parameters }) => ({
    reference,
    method: operation && 'GET',
    url: operation && requestUrl(service, operation, parameters),
    cost: operation?.credits ?? 0,
  }));
  const given = options.invocation.flags.find(({ name }) => name === '--format')?.value;
  if (given === 'json' || given === 'ndjson') {
    const fields = ['reference', 'method', 'url', 'cost'] as const;
    await printRows(rows, { ...options, fields }, streams);
  } else {
    const prices = rows.map(({ cost }) => (cost === 0 ? 'free' : countCredits(cost)));
    const width = longestLength(prices);
    const lines = rows.map(({ reference, url }, i) => {
      const request = url === null ? `no request: ${reference}` : `GET ${url}`;
      return `${prices[i]?.padEnd(width)}  ${sanitize(request)}\n`;
    });
    await stdout.write(lines.join(''));
  }
  for (const failure of failureLines(results, null, options)) stderr.printFailure(failure);
  stderr.print(dryRunTotals(requests));
  return mostSevere(results.map(({ failure }) => failure?.exit ?? 0));
}

/** Returns the number of requests and their cost: `4 requests, at least 4 credits`, `2 requests, free`. */
export function dryRunTotals(requests: readonly FirstRequest[]): string {
  const sent = requests.flatMap(({ operation }) => operation ?? []);
  const later = requests.flatMap(({ nextCost }) => nextCost ?? []);
  const costs = [...sent.map((operation) => operation.credits), ...later];
  const cost = costs.reduce((sum, credits) => sum + credits, 0);
  const isMore = later.length > 0;
  const number = count(sent.length, 'request', 'requests');
  if (cost === 0) return `${number}, free${isMore ? ' if nothing is new' : ''}`;
  return `${number}, ${isMore ? 'at least ' : ''}${countCredits(cost)}`;
}
