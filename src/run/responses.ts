import type { ResponseOptions } from '../cli/options.ts';
import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import { JsonText } from '../json/json-text.ts';
import type { Text } from '../output/format.ts';
import { records, withList } from '../output/records.ts';
import type { Operation } from '../service/contract.ts';
import type { Parameters } from '../service/parameters.ts';
import { resolvedId } from '../service/references.ts';
import type { Run } from './open.ts';
import { openOutput, outputFormat } from './output.ts';
import { inOrder } from './pool.ts';
import type { InputReference, References } from './references.ts';
import { type Result, resultOf, unreached } from './results.ts';
import type { SeenFile } from './seen.ts';

/** Responses fetched ahead of the next one to print, per concurrent request. */
const lookahead = 4;

/** Checks that `-o` can be written, and that it is no export: before anything is sent. */
export async function checkOutputFile(target: Target | null, { credits }: Operation): Promise<void> {
  if (target?.kind !== 'file') return;
  const { checkWritable } = await import('../fs/atomic.ts');
  const { refuseRecorded } = await import('../fs/private-folder.ts');
  refuseRecorded(target);
  checkWritable(target);
  if (credits === 0) return;
  const { checkFreeSpace, minFreeSpace } = await import('../fs/free-space.ts');
  const { dirname } = await import('node:path');
  checkFreeSpace(dirname(target.real), minFreeSpace);
}

/**
 * Asks for the response of each reference, several at once, and prints them in input order; one that fails has its place
 * in json. `-o FILE` is replaced only if no reference failed; a paid response that cannot be written to it goes to stdout.
 */
export async function printResponses(
  run: Run,
  parametersOf: (input: InputReference) => Parameters,
  references: References,
  options: ResponseOptions,
  target: Target | null,
  seen: SeenFile | null,
): Promise<readonly Result[]> {
  const { operation } = run;
  const { inputs, several } = references;
  const { format } = await outputFormat(operation, options, run.context, several);
  const file = target?.kind === 'file' ? target : null;
  const content: Buffer[] = [];
  // The bytes are valid only until the next response.
  const keep = { write: async (text: Text) => void content.push(Buffer.from(text)) };
  const output = file === null ? await openOutput(target, run.context, run.stderr) : keep;
  const results: Result[] = [];
  try {
    const responses = fetchResponses(run, parametersOf, references, options.concurrency);
    for await (const [input, response] of responses) {
      if (response instanceof Failure) {
        await output.write(format.failed(input, response));
        results.push(resultOf(input, { failure: response }));
        continue;
      }
      const [body, entries] = selected(operation, response, options.limit, seen, input);
      await output.write(format.body(input, body));
      // Until FILE is written, none of its entries has been seen.
      if (file === null) seen?.accept();
      const id = operation.body === 'record' ? resolvedId(response) : input.id;
      results.push(resultOf(input, { id, entries }));
    }
  } catch (error) {
    run.endAt(error);
  }
  await output.write(format.tail()).catch((error) => run.endAt(error));
  for (const warning of format.warnings()) run.stderr.warn(warning);
  const rest = inputs.slice(results.length).map((input) => unreached(input, run.stopped));
  if (file === null || rest.length > 0) return [...results, ...rest];
  return await replaceFile(run, file, Buffer.concat(content), results, seen);
}

/** The response to each input, in input order; one that repeats another is not requested. */
async function* fetchResponses(
  run: Run,
  parametersOf: (input: InputReference) => Parameters,
  { inputs, distinct }: References,
  concurrency: number,
): AsyncGenerator<[InputReference, JsonText | Failure], void> {
  const pool = { concurrency, lookahead: concurrency * lookahead };
  const fetched = inOrder(distinct, pool, (input) =>
    run.request(async () => {
      const body = await run.client.call(run.operation, parametersOf(input), input.tally);
      if (run.operation.body === 'record' && resolvedId(body) === null)
        throw new Failure('bad_answer', 'the response has no channel_id', { status: 200 });
      return body;
    }),
  );
  const repeated = new Set(inputs.map(({ repeats }) => repeats));
  const kept = new Map<InputReference, JsonText | Failure>();
  for (const input of inputs) {
    const response = input.repeats === null ? (await fetched.next()).value?.[1] : kept.get(input.repeats);
    if (!response) throw new Error('a reference without a response');
    if (repeated.has(input)) kept.set(input, response);
    yield [input, response];
  }
}

/** The part of a body that is printed, and its number of entries: at most `limit`, and with `--seen` only new ones. */
function selected(
  operation: Operation,
  body: JsonText,
  limit: number | null,
  seen: SeenFile | null,
  input: InputReference,
): [JsonText, number] {
  if (operation.body === 'record') return [body, 1];
  const found = records(body);
  if (found.list === null || (limit === null && seen === null)) return [body, found.records.length];
  const kept =
    seen === null ? found.records.slice(0, limit ?? undefined) : seen.newEntries(found.records, input, limit);
  return [JsonText.of(withList(body, found, `[${kept.join(',')}]`)), kept.length];
}

/** Replaces `-o FILE` by the responses, unless one is missing. A paid response that cannot be written goes to stdout. */
async function replaceFile(
  run: Run,
  target: Target,
  content: Buffer,
  results: readonly Result[],
  seen: SeenFile | null,
): Promise<readonly Result[]> {
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
    const failure = await printInstead(run, content, toFailure(error));
    return results.map((result) => ({ ...result, status: 'failed', failure }));
  }
  try {
    seen?.accept();
  } catch (error) {
    run.endAt(error);
  }
  return results.map((result) => ({ ...result, file: path }));
}

/** Prints what was paid to stdout in place of `-o FILE`. Returns the failure of FILE, which says so. */
async function printInstead(run: Run, content: Buffer, failure: Failure): Promise<Failure> {
  if (run.budget.total.credits.confirmed === 0) return failure;
  const stdout = await openOutput(null, run.context, run.stderr);
  await stdout.write(content).catch((thrown) => {
    if (!(thrown instanceof ClosedPipe)) run.endAt(thrown);
  });
  return failure.with({ message: `${failure.message}; printed the paid response to stdout instead` });
}
