import { dirname } from 'node:path';
import { Failure, toFailure } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import { JsonText } from '../json/json-text.ts';
import type { Text } from '../output/format.ts';
import { records, withList } from '../output/records.ts';
import { Stdout } from '../output/stdout.ts';
import { spent } from '../service/budget.ts';
import type { Operation, RequestParameters } from '../service/contract.ts';
import { resolvedId } from '../service/parse-reference.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { outputFormat, printAll } from './output.ts';
import type { Reference, References } from './read-references.ts';
import { failedRequest, type Result, resultOf } from './results.ts';
import type { Run } from './run.ts';
import type { SeenFile } from './seen.ts';

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

/** Prints the response of each reference in input order. The file of `-o` is replaced only if none failed. */
export async function printResponses(
  run: Run,
  parametersOf: (value: string) => RequestParameters,
  references: References,
  target: Target | null,
  seen: SeenFile | null,
): Promise<readonly Result[]> {
  const { operation, options, context, stderr } = run;
  const { inputs, several, distinct } = references;
  const { format, isTerminalTable } = await outputFormat(operation, options, context, several);
  const content: Buffer[] = [];
  const stdout = target === null ? new Stdout(context, stderr, isTerminalTable) : null;
  // The bytes are valid only until the next response.
  const write = async (text: Text): Promise<void> => {
    if (stdout === null) content.push(Buffer.from(text));
    else await stdout.write(text);
  };
  const responseTo = fetchAhead(run, parametersOf, references);

  const print = async (input: Reference): Promise<Result> => {
    const response = await responseTo(input);
    if (response instanceof Failure) {
      await write(format.failed(input, response));
      return failedRequest(input, response, (input.repeats ?? input).tally);
    }
    const [body, entries] = selected(operation, response, options.limit, seen, input);
    await write(format.body(input, body));
    // Until the file of -o is written, none of its entries has been seen.
    if (target === null) seen?.accept();
    if (distinct.length > 1) {
      const { label: reference, tally } = input;
      const credits = spent(tally.credits);
      run.progress.update({ reference, page: 1, entries, total: null, credits });
    }
    const id = operation.body === 'record' ? resolvedId(response) : input.id;
    return resultOf(input, { id, entries });
  };

  const results = await printAll(run, inputs, format, write, print);
  const written = target === null ? results : await replaceFile(run, target, Buffer.concat(content), results);
  try {
    if (target !== null && written.every(({ failure }) => failure === null)) seen?.accept();
    seen?.save(run);
  } catch (error) {
    run.end(toFailure(error));
  }
  return written;
}

/** Requests ahead; returns what waits for the response to each input, in input order. One that repeats another is not sent. */
function fetchAhead(
  run: Run,
  parametersOf: (value: string) => RequestParameters,
  { inputs, distinct }: References,
): (input: Reference) => Promise<JsonText | Failure> {
  const { operation, client } = run;
  const { concurrency } = run.options;
  const pool = { concurrency, lookahead: concurrency * lookahead };
  const fetched = mapConcurrently(distinct, pool, async (input) => {
    const response = await run.request(async () => {
      const body = await client.call(operation, parametersOf(input.value), input.tally);
      if (operation.body === 'record') resolvedId(body);
      return body;
    });
    run.progress.referenceDone();
    return response;
  });
  const repeated = new Set(inputs.map(({ repeats }) => repeats));
  const responses = new Map<Reference, JsonText | Failure>();
  return async (input) => {
    const response =
      input.repeats === null ? (await fetched.next()).value?.[1] : responses.get(input.repeats);
    if (!response) throw new Error('a reference without a response');
    if (repeated.has(input)) responses.set(input, response);
    return response;
  };
}

/** The part of a body that is printed, and its number of entries: at most `limit`, and with `--seen` only new ones. */
function selected(
  operation: Operation,
  body: JsonText,
  limit: number | null,
  seen: SeenFile | null,
  input: Reference,
): [JsonText, number] {
  if (operation.body === 'record') return [body, 1];
  const parts = records(body);
  if (parts.list === null || (limit === null && seen === null)) return [body, parts.records.length];
  const entries =
    seen === null
      ? parts.records.slice(0, limit ?? undefined)
      : seen.takeNewEntries(parts.records, input, limit);
  return [JsonText.of(withList(body, parts, `[${entries.join(',')}]`)), entries.length];
}

/** Replaces the file of `-o` by the responses, unless one is missing. */
async function replaceFile(
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
    // What was paid for is not lost.
    if (budget.total.credits.confirmed > 0) await new Stdout(context, stderr).write(content);
    return results.map((result) => ({ ...result, status: 'failed', failure }));
  }
  return results.map((result) => ({ ...result, file: path }));
}
