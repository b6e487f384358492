import { dirname } from 'node:path';
import type { ResponseOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import { JsonText } from '../json/json-text.ts';
import { parseFields } from '../output/fields.ts';
import type { Text } from '../output/format.ts';
import type { ProgressState } from '../output/progress-text.ts';
import { records, withList } from '../output/records.ts';
import type { Stderr } from '../output/stderr.ts';
import { mapConcurrently } from '../run/map-concurrently.ts';
import { openRun, type Run } from '../run/open.ts';
import { openOutput, outputFormat, outputTarget } from '../run/output.ts';
import { printDryRun } from '../run/print-dry-run.ts';
import { type InputReference, type References, readReferences } from '../run/read-references.ts';
import { failedRequest, type Result, resultOf, unreachedResult } from '../run/results.ts';
import type { SeenFile } from '../run/seen.ts';
import { spent } from '../service/budget.ts';
import {
  assertParameters,
  type Operation,
  type operations,
  type RequestParameters,
} from '../service/contract.ts';
import { assertResolved, type Reference, resolvedId } from '../service/parse-reference.ts';

/** Responses fetched ahead of the next one to print, per concurrent request. */
const lookahead = 4;

/** Requests the whole response for each channel and prints it; returns the exit code. */
export async function runResponses(
  operation: typeof operations.resolve | typeof operations.search | typeof operations.latest,
  options: ResponseOptions,
  context: Context,
  stderr: Stderr,
  more: RequestParameters = {},
): Promise<number> {
  const [{ name }] = operation.parameters;
  const parametersOf = ({ value }: Reference): RequestParameters => ({ [name]: value, ...more });
  parseFields(options.fields, operation);
  const target = await outputTarget(options, context);
  const references = await readReferences(options, operation.reference, context, (reference) =>
    assertParameters(operation, parametersOf(reference)),
  );
  await assertOutputFile(target, operation);
  if (options.dryRun) {
    const requests = references.distinct.map((input) => {
      return { reference: input.reference, operation, parameters: parametersOf(input) };
    });
    return await printDryRun(requests, options, context, stderr);
  }
  using seen = await openSeen(options.seen, context);
  const { concurrency, output } = options;
  const subjects = references.inputs;
  await using run = await openRun(operation, subjects, concurrency, options, context, stderr);
  const results = printResponses(run, parametersOf, references, options, target, seen);
  const saveSeen = (): void => {
    try {
      seen?.save(run.report);
    } catch (error) {
      run.report.end(toFailure(error));
    }
  };
  return await run.report.finish(results.finally(saveSeen), output);
}

async function openSeen(path: string | null, { stop }: Context): Promise<SeenFile | null> {
  if (path === null) return null;
  const { SeenFile } = await import('../run/seen.ts');
  return await SeenFile.open(path, stop);
}

/** Throws if `-o` cannot be written, or is an export: before anything is sent. */
async function assertOutputFile(target: Target | null, { credits }: Operation): Promise<void> {
  if (target?.kind !== 'file') return;
  const { assertReplaceable } = await import('../fs/atomic.ts');
  const { assertNotRecorded } = await import('../fs/private-folder.ts');
  assertNotRecorded(target, { areViewsReplaced: true });
  assertReplaceable(target);
  if (credits === 0) return;
  const { assertFreeSpace, minFreeSpace } = await import('../fs/free-space.ts');
  assertFreeSpace(dirname(target.real), minFreeSpace);
}

/**
 * Requests the response of each reference, several at once, and prints them in input order; one that fails has its place
 * in json. `-o FILE` is replaced only if no reference failed; a paid response that cannot be written to it goes to stdout.
 */
async function printResponses(
  run: Run,
  parametersOf: (input: InputReference) => RequestParameters,
  references: References,
  options: ResponseOptions,
  target: Target | null,
  seen: SeenFile | null,
): Promise<readonly Result[]> {
  const { operation } = run.session;
  const { inputs, several } = references;
  const { format } = await outputFormat(operation, options, run.session.context, several);
  const file = target?.kind === 'file' ? target : null;
  const content: Buffer[] = [];
  // The bytes are valid only until the next response.
  const buffer = { write: async (text: Text) => void content.push(Buffer.from(text)) };
  const output = file === null ? await openOutput(target, run.session.context, run.session.stderr) : buffer;
  const isShared = references.distinct.length > 1;
  if (isShared) run.session.shareProgress(references.distinct.length);
  const results: Result[] = [];
  try {
    const responses = fetchResponses(run, parametersOf, references, options.concurrency);
    for await (const [input, response] of responses) {
      if (response instanceof Failure) {
        await output.write(format.failed(input, response));
        results.push(failedRequest(input, response, (input.repeats ?? input).tally));
        continue;
      }
      const [body, entries] = selected(operation, response, options.limit, seen, input);
      await output.write(format.body(input, body));
      // Until FILE is written, none of its entries has been seen.
      if (file === null) seen?.accept();
      const id = operation.body === 'record' ? resolvedId(response) : input.id;
      results.push(resultOf(input, { id, entries }));
      if (isShared) run.session.progress.update(progressOf(input, entries));
    }
  } catch (error) {
    run.report.endAt(error);
  }
  await output.write(format.tail()).catch((error) => run.report.endAt(error));
  for (const warning of format.warnings()) run.report.warn('format', null, warning);
  const rest = inputs.slice(results.length).map((input) => unreachedResult(input, run.report.stopped));
  if (file === null || rest.length > 0) return [...results, ...rest];
  return await replaceFile(run, file, Buffer.concat(content), results, seen);
}

const progressOf = ({ label, tally }: InputReference, entries: number): ProgressState => ({
  reference: label,
  page: 1,
  entries,
  total: null,
  credits: spent(tally.credits),
  estimated: null,
});

/** The response to each input, in input order; one that repeats another is not requested. */
async function* fetchResponses(
  run: Run,
  parametersOf: (input: InputReference) => RequestParameters,
  { inputs, distinct }: References,
  concurrency: number,
): AsyncGenerator<[InputReference, JsonText | Failure], void> {
  const pool = { concurrency, lookahead: concurrency * lookahead };
  const fetched = mapConcurrently(distinct, pool, async (input) => {
    const response = await run.report.request(async () => {
      const body = await run.session.client.call(run.session.operation, parametersOf(input), input.tally);
      if (run.session.operation.body === 'record') assertResolved(body);
      return body;
    });
    run.session.progress.referenceDone();
    return response;
  });
  const repeated = new Set(inputs.map(({ repeats }) => repeats));
  const responses = new Map<InputReference, JsonText | Failure>();
  for (const input of inputs) {
    const response =
      input.repeats === null ? (await fetched.next()).value?.[1] : responses.get(input.repeats);
    if (!response) throw new Error('a reference without a response');
    if (repeated.has(input)) responses.set(input, response);
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
  const parts = records(body);
  if (parts.list === null || (limit === null && seen === null)) return [body, parts.records.length];
  const entries =
    seen === null
      ? parts.records.slice(0, limit ?? undefined)
      : seen.takeNewEntries(parts.records, input, limit);
  return [JsonText.of(withList(body, parts, `[${entries.join(',')}]`)), entries.length];
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
      run.report.warn('not written', null, `${path} was not written: not all references succeeded`);
    return results;
  }
  const { writeFileAtomic } = await import('../fs/atomic.ts');
  const { forgetView } = await import('../fs/private-folder.ts');
  try {
    writeFileAtomic(target, content);
    forgetView(target);
  } catch (error) {
    const failure = await printInstead(run, content, toFailure(error));
    return results.map((result) => ({ ...result, status: 'failed', failure }));
  }
  try {
    seen?.accept();
  } catch (error) {
    run.report.endAt(error);
  }
  return results.map((result) => ({ ...result, file: path }));
}

/** Prints what was paid to stdout in place of `-o FILE`. Returns the failure of FILE, which says so. */
async function printInstead(run: Run, content: Buffer, failure: Failure): Promise<Failure> {
  if (run.session.budget.total.credits.confirmed === 0) return failure;
  const stdout = await openOutput(null, run.session.context, run.session.stderr);
  await stdout.write(content).catch((thrown) => {
    if (!(thrown instanceof ClosedPipe)) run.report.endAt(thrown);
  });
  return failure.with({ message: `${failure.message}; printed the paid response to stdout instead` });
}
