import { effectiveFormat, type ResponseOptions, type SearchOptions } from '../cli/options.ts';
import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import type { Target } from '../fs/output-target.ts';
import { JsonText } from '../json/json-text.ts';
import { parseFields } from '../output/fields.ts';
import { type Format, joined, type Text } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import { records, withList } from '../output/records.ts';
import { decideTerminal } from '../output/terminal.ts';
import type { Operation } from '../service/contract.ts';
import type { Parameters } from '../service/parameters.ts';
import { resolvedId } from '../service/references.ts';
import { type Run, withUnreached } from './open.ts';
import { openOutput } from './output.ts';
import { inOrder } from './pool.ts';
import type { InputReference, References } from './references.ts';
import { type Result, resultOf } from './results.ts';
import type { SeenFile } from './seen.ts';

/** Responses fetched ahead of the next one to print, per concurrent request. */
const lookahead = 4;

/** What a command of whole responses asks for and prints. */
export interface ResponseTask {
  readonly operation: Operation;
  readonly parameters: (reference: InputReference) => Parameters;
  readonly references: References;
  readonly options: SearchOptions | ResponseOptions;
  /** Maximum number of entries of a response that are printed; null: all. */
  readonly limit: number | null;
  readonly target: Target | null;
  readonly seen: SeenFile | null;
}

/** A whole response, or why there is none. */
type Response =
  | { readonly body: JsonText; readonly failure: null }
  | { readonly body: null; readonly failure: Failure };

/** Where the text of responses goes. */
interface Sink {
  write(text: Text): Promise<void>;
}

/** Checks that `-o` can be written, and that it is no export: before anything is sent. */
export async function checkOutputFile(target: Target | null, isPaid: boolean): Promise<void> {
  if (target?.kind !== 'file') return;
  const { checkWritable } = await import('../fs/atomic.ts');
  const { refuseRecorded } = await import('../fs/private-folder.ts');
  refuseRecorded(target);
  checkWritable(target);
  if (!isPaid) return;
  const { checkFreeSpace, minFreeSpace } = await import('../fs/free-space.ts');
  const { dirname } = await import('node:path');
  checkFreeSpace(dirname(target.real), minFreeSpace);
}

/**
 * Asks for the response of each reference, several at once, and prints them in input order. `-o FILE` is replaced only
 * if no reference failed; a paid response that cannot be written to it goes to stdout.
 */
export async function printResponses(run: Run, task: ResponseTask): Promise<readonly Result[]> {
  const { operation, options, references, target, seen } = task;
  const { several } = references;
  const { context } = run;
  const terminal = target === null ? decideTerminal(context.stdout, context.env, !options.color) : null;
  const fields = options.fields === null ? null : parseFields(options.fields, operation);
  const format = await createFormat(effectiveFormat(options, terminal !== null), {
    operation,
    fields,
    several,
    terminal,
  });
  const isFile = target?.kind === 'file';
  const texts: Text[] = [];
  const toFile: Sink = {
    // The bytes are valid only until the next response.
    write: async (text) => void texts.push(typeof text === 'string' ? text : Buffer.from(text)),
  };
  const sink = isFile ? toFile : await openOutput(target, context, options, run.stderr);
  const results: Result[] = [];
  try {
    for await (const result of printed(run, task, format, sink, isFile)) results.push(result);
    if (!isFile) return results;
    if (results.some(({ failure }) => failure !== null)) {
      if (results.length > 1)
        run.warn('not written', null, `${target.path} was not written: not all references succeeded`);
      return results;
    }
    const failure = await replaceFile(run, target, texts, options);
    if (failure !== null) return results.map((result) => ({ ...result, status: 'failed', failure }));
    await seen?.accept();
    return results.map((result) => ({ ...result, file: target.path }));
  } catch (error) {
    run.endAt(error);
    return withUnreached(run, references.inputs, results);
  } finally {
    for (const warning of format.warnings()) run.stderr.warn(warning);
  }
}

/** Prints the responses in input order; one that fails has its place in json. */
async function* printed(
  run: Run,
  task: ResponseTask,
  format: Format,
  sink: Sink,
  isFile: boolean,
): AsyncGenerator<Result, void> {
  const { references, options, seen } = task;
  const { inputs } = references;
  const concurrency = 'concurrency' in options ? options.concurrency : 1;
  const unique = inputs.filter((input, index) => input.first === index);
  const pool = { concurrency, lookahead: concurrency * lookahead };
  const fetched = inOrder(unique, pool, (input) => fetchResponse(run, task, input));
  /** The responses that are printed again, by the index of their first input. */
  const repeated = new Map<number, Response>();
  const isRepeated = new Set(inputs.flatMap(({ first }, index) => (first === index ? [] : [first])));
  let isOpen = false;
  const head = (): string => {
    const text = isOpen ? '' : format.head();
    isOpen = true;
    return text;
  };
  try {
    for (const [index, input] of inputs.entries()) {
      let response = repeated.get(input.first);
      if (response === undefined) {
        const next = await fetched.next();
        if (next.done) return;
        response = next.value;
        if (isRepeated.has(index)) repeated.set(index, response);
      }
      const { failure } = response;
      if (failure !== null) {
        const text = format.failed(input, failure);
        if (text !== '') await sink.write(head() + text);
        yield resultOf(input, { failure });
        continue;
      }
      const body = printedBody(response.body, task, input);
      await sink.write(joined(head(), format.body(input, body)));
      // Until FILE is written, none of its entries has been seen.
      if (!isFile) await seen?.accept();
      yield completed(input, task, response.body, body);
    }
  } finally {
    await sink.write(head() + format.tail());
  }
}

const completed = (
  input: InputReference,
  { operation }: ResponseTask,
  whole: JsonText,
  body: JsonText,
): Result =>
  operation.answer === 'record'
    ? resultOf(input, { id: resolvedId(whole), entries: 1 })
    : resultOf(input, { id: input.id, entries: records(body).records.length });

/** The body with the entries that are printed: at most `limit`, and with `--seen` only new ones. */
function printedBody(
  body: JsonText,
  { limit, operation, seen }: ResponseTask,
  input: InputReference,
): JsonText {
  if (operation.answer === 'record' || (limit === null && seen === null)) return body;
  const found = records(body);
  if (found.list === null) return body;
  const kept =
    seen === null ? found.records.slice(0, limit ?? undefined) : seen.newEntries(found.records, input, limit);
  return JsonText.of(withList(body, found, `[${kept.join(',')}]`));
}

async function fetchResponse(
  run: Run,
  { operation, parameters }: ResponseTask,
  input: InputReference,
): Promise<Response> {
  let body: JsonText | null = null;
  const { failure } = await run.work(input, async () => {
    try {
      body = await run.client.call(operation, parameters(input), input.tally);
      if (operation.answer === 'record' && resolvedId(body) === null)
        throw new Failure('bad_answer', 'the response has no channel_id', { status: 200 });
      return resultOf(input, {});
    } catch (error) {
      return resultOf(input, { failure: toFailure(error) });
    }
  });
  if (failure !== null) return { body: null, failure };
  if (body === null) throw new Error('a response without a body');
  return { body, failure: null };
}

/** Replaces `-o FILE`. A paid response that cannot be written goes to stdout. Returns the failure. */
async function replaceFile(
  run: Run,
  target: Target,
  texts: readonly Text[],
  options: ResponseTask['options'],
): Promise<Failure | null> {
  const content = Buffer.concat(texts.map((text) => Buffer.from(text)));
  const { writeFileAtomic } = await import('../fs/atomic.ts');
  try {
    const problem = writeFileAtomic(target, content);
    if (problem !== null) run.warn('not durable', null, problem.message);
    return null;
  } catch (error) {
    const failure = toFailure(error);
    if (run.budget.total.credits.confirmed === 0) return failure;
    try {
      await (await openOutput(null, run.context, options, run.stderr)).write(content);
    } catch (closed) {
      if (!(closed instanceof ClosedPipe)) throw closed;
    }
    return failure.with({ message: `${failure.message}; printed the paid response to stdout instead` });
  }
}
