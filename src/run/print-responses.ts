import { dirname } from 'node:path';
import { Failure, toFailure } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import type { JsonText } from '../json/json-text.ts';
import { readResponse } from '../output/document.ts';
import type { Text } from '../output/format.ts';
import { writeEntries } from '../output/render.ts';
import { Stdout } from '../output/stdout.ts';
import type { Operation, RequestParameters } from '../service/contract.ts';
import { resolvedId } from '../service/parse-reference.ts';
import { outputFormat, printReferences } from './print-references.ts';
import { type Reference, valid } from './read-references.ts';
import { failedRequest, type Result, resultOf } from './results.ts';
import { mapConcurrently, type Run } from './run.ts';

/** Responses fetched ahead of the next one to print, per concurrent request. */
const lookahead = 4;

/** Throws if the file of `-o` cannot be written, or is an archive: before anything is sent. */
export async function assertOutputFile(target: Target | null, { credits }: Operation): Promise<void> {
  if (target === null) return;
  const { assertReplaceable } = await import('../fs/atomic.ts');
  const { assertNotArchive } = await import('../fs/private-folder.ts');
  assertNotArchive(target);
  assertReplaceable(target);
  if (credits === 0) return;
  const { assertRoom } = await import('../fs/files.ts');
  assertRoom(dirname(target.real), 0);
}

/** Prints the response of each reference, in input order. The file of `-o` is replaced only if none failed. */
export async function printResponses(
  run: Run,
  parametersOf: (value: string) => RequestParameters,
  target: Target | null,
): Promise<readonly Result[]> {
  const { operation, options, context, stderr, references } = run;
  const seenFile = options.seen && (await import('./seen.ts')).openSeenFile(options.seen, context.stop);
  using seen = (await seenFile) || null;
  const { format, isTerminalTable } = await outputFormat(run);
  const content: Buffer[] = [];
  const stdout = target === null ? new Stdout(context, stderr, isTerminalTable) : null;
  // The bytes are valid only until the next response.
  const write = async (text: Text): Promise<void> => {
    if (stdout === null) content.push(Buffer.from(text));
    else await stdout.write(text);
  };
  const responses = fetchAhead(run, parametersOf);

  const print = async (input: Reference): Promise<Result> => {
    const response = (await responses.next()).value?.[1];
    if (!response) throw new Error('a reference without a response');
    if (response instanceof Failure) {
      await write(format.failed(input, response));
      return failedRequest(input, response);
    }
    const { isList, entries: sent, ...frame } = readResponse(response, operation.body);
    // At most `limit`, and with `--seen` only new ones.
    const select = () =>
      seen?.takeNewEntries(sent, input, options.limit) ?? sent.slice(0, options.limit ?? undefined);
    const entries = isList ? select() : sent;
    const count = entries.length;
    await writeEntries(format, input, frame, [entries], write);
    seen?.accept();
    // Only free commands take several references.
    if (references.length > 1)
      run.progress.update({ reference: input.label, page: 1, entries: count, total: null, credits: 0 });
    const id = operation.body === 'record' ? resolvedId(response) : input.id;
    return resultOf(input, { id, entries: count });
  };

  const results = await printReferences(run, format, write, print);
  const written =
    target === null ? results : await writeResponses(run, target, Buffer.concat(content), results);
  try {
    seen?.save(run);
  } catch (error) {
    run.end(toFailure(error));
  }
  return written;
}

/** Requests ahead, and yields the response to each reference. A repeated reference is not requested again. */
function fetchAhead(run: Run, parametersOf: (value: string) => RequestParameters) {
  const { operation, client } = run;
  const references = valid(run.references);
  const { concurrency } = run.options;
  const repeated = new Set(references.map(({ repeats }) => repeats));
  const responses = new Map<Reference, Promise<JsonText | Failure>>();
  const pool = { concurrency, lookahead: concurrency * lookahead };
  return mapConcurrently(references, pool, async (input) => {
    const earlier = input.repeats && responses.get(input.repeats);
    if (earlier) return earlier;
    const response = run.request(async () => {
      const body = await client.call(operation, parametersOf(input.value), input.tally);
      if (operation.body === 'record') resolvedId(body);
      return body;
    });
    if (repeated.has(input)) responses.set(input, response);
    return response.finally(() => run.progress.referenceDone());
  });
}

/** Replaces the file of `-o` by the responses, unless one is missing. */
async function writeResponses(
  run: Run,
  target: Target,
  content: Buffer,
  results: readonly Result[],
): Promise<readonly Result[]> {
  const { budget, context, stderr } = run;
  const { path } = target;
  if (results.some(({ failure }) => failure !== null)) {
    if (results.length > 1)
      run.warn('not written', null, `${path} was not written: not all references succeeded`);
    return results;
  }
  const { writeFileAtomic } = await import('../fs/atomic.ts');
  try {
    writeFileAtomic(target, content);
  } catch (error) {
    const failure = toFailure(error);
    // Print what was paid for.
    if (budget.total.credits.confirmed > 0) await new Stdout(context, stderr).write(content);
    return results.map((result) => ({ ...result, status: 'failed', failure }));
  }
  return results.map((result) => ({ ...result, file: path }));
}
