import { dirname } from 'node:path';
import { Failure, toFailure } from '../errors.ts';
import { assertNotArchive } from '../fs/archive-names.ts';
import { assertReplaceable, writeFileAtomic } from '../fs/atomic.ts';
import { assertFreeSpace } from '../fs/files.ts';
import type { Target } from '../fs/output-target.ts';
import type { JsonText } from '../json/json-text.ts';
import { readResponse } from '../output/document.ts';
import type { Chunk } from '../output/format.ts';
import { writeEntries } from '../output/render.ts';
import type { Operation, RequestParameters } from '../service/contract.ts';
import { resolvedId } from '../service/parse-reference.ts';
import { collectResults, startOutput } from './collect-results.ts';
import { mapConcurrently } from './map-concurrently.ts';
import type { Reference } from './read-references.ts';
import { type Result, resultOf } from './results.ts';
import type { Run } from './run.ts';
import { SeenFile } from './seen.ts';

/** Responses fetched ahead of the next one to print, per concurrent request. */
const lookahead = 4;

/** Throws if the file of `-o` cannot be written, or is an archive. Called before anything is sent. */
export function assertOutputFile(target: Target | null, { credits }: Operation): void {
  if (target === null) return;
  assertNotArchive(target);
  assertReplaceable(target);
  if (credits > 0) assertFreeSpace(dirname(target.real), 0);
}

/** Prints the response of each reference, in input order. Replaces the file of `-o` only if no reference failed. */
export async function printResponses(
  run: Run,
  parametersOf: (value: string) => RequestParameters,
  target: Target | null,
): Promise<readonly Result[]> {
  const { operation, options, context, stdout, stderr, references } = run;
  const { limit } = options;
  using seen = options.seen === null ? null : await SeenFile.open(options.seen, context.stop);
  const { format } = await startOutput(run);
  const content: Buffer[] = [];
  const write = async (text: Chunk): Promise<void> => {
    if (target === null) await stdout.write(text);
    // The bytes are valid only until the next response.
    else content.push(Buffer.from(text));
  };

  async function* printed(): AsyncGenerator<Result> {
    for await (const [reference, response] of fetchAhead(run, parametersOf)) {
      if (response instanceof Failure) {
        await write(stderr.withoutKeys(format.failed(reference, response)));
        yield resultOf(reference, { failure: response });
      } else {
        const { isList, entries: sent, ...frame } = readResponse(response, operation.body);
        // `--seen` selects new entries only.
        const fresh = isList && seen !== null ? seen.takeNewEntries(sent, reference, limit) : null;
        const selected = fresh?.entries ?? (isList ? sent.slice(0, limit ?? undefined) : sent);
        const entries = selected.length;
        await writeEntries(format, reference, frame, [selected], write);
        fresh?.accept();
        // Only free commands take several references.
        if (references.length > 1)
          run.progress.update({ reference: reference.label, page: 1, entries, total: null, credits: 0 });
        const id = operation.body === 'object' ? resolvedId(response) : reference.id;
        yield resultOf(reference, { id, entries });
      }
    }
  }

  const results = await collectResults(run, format, write, printed());
  try {
    const baseline = seen?.save(run) ?? null;
    if (baseline !== null) stderr.print(baseline);
  } catch (error) {
    // The next run prints IDs again that were not saved: report that rather than an earlier failure.
    run.fail(toFailure(error).afterWork(), { replaces: true });
  }
  if (target === null) return results;
  if (results.some(({ failure }) => failure !== null)) {
    if (results.length > 1)
      run.warn('not written', null, `${target.path} was not written: not all references succeeded`);
    return results;
  }
  try {
    writeFileAtomic(target, Buffer.concat(content));
    return results.map((result) => ({ ...result, file: target.path }));
  } catch (error) {
    const failure = toFailure(error).afterWork();
    // Print a paid response that cannot be saved.
    const isPaid = run.budget.total.credits.confirmed > 0;
    if (isPaid) await stdout.write(Buffer.concat(content)).catch(() => {});
    return results.map((result) => ({ ...result, status: 'failed', failure }));
  }
}

/** Sends requests ahead of printing. Yields the response or failure of each reference; requests repeated ones once. */
function fetchAhead(run: Run, parametersOf: (value: string) => RequestParameters) {
  const { operation, client, references } = run;
  const { concurrency } = run.options;
  const repeated = new Set(references.map(({ repeats }) => repeats));
  const responses = new Map<Reference, Promise<JsonText | Failure>>();
  const pool = { concurrency, lookahead: concurrency * lookahead };
  return mapConcurrently(references, pool, async (reference) => {
    if (reference.failure !== null) return reference.failure;
    const earlier = reference.repeats && responses.get(reference.repeats);
    if (earlier) return earlier;
    const response = run.request(async () => {
      const body = await client.call(operation, parametersOf(reference.value), reference.tally);
      if (operation.body === 'object') resolvedId(body);
      return body;
    });
    if (repeated.has(reference)) responses.set(reference, response);
    return response.finally(() => run.progress.referenceDone(reference));
  });
}
