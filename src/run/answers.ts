import type { Operation, operations } from '../api/contract.ts';
import { checkParameters, type Parameters } from '../api/parameters.ts';
import { type Reference, resolvedId } from '../api/references.ts';
import { type AnswerOptions, effectiveFormat, type SharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import { JsonText, quoteJson } from '../json/json-text.ts';
import { parseFields } from '../output/fields.ts';
import type { Format, Item, Text } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import { records } from '../output/records.ts';
import { decideTerminal } from '../output/terminal.ts';
import { concurrently } from './concurrently.ts';
import { openOutput } from './list-to-output.ts';
import { type InputReference, type References, readReferences } from './read-references.ts';
import { newReceipt, type Receipt } from './receipts.ts';
import { filesOf } from './run-listing.ts';
import type { SeenFile } from './seen.ts';
import { runSession, type Session, type SessionPlan } from './session.ts';

/** A command that prints whole answers, one per reference. */
export interface AnswerTask {
  readonly operation: Operation;
  readonly parameters: (reference: InputReference) => Parameters;
  readonly references: References;
  readonly shared: SharedOptions;
  readonly concurrency: number;
  /** Maximum number of entries of an answer that are printed; null: all. */
  readonly limit: number | null;
  /** File of the IDs that were printed before (`latest --seen`); null: all entries are printed. */
  readonly seen: string | null;
  readonly context: Context;
}

/** Answers fetched ahead of the next one to print, per concurrent request. */
const lookahead = 4;

/** Checks output and format before anything is sent; the work prints the answers in input order. */
export async function planAnswers(task: AnswerTask): Promise<SessionPlan> {
  const { operation, shared, references, context } = task;
  const { inputs, several } = references;
  const receipts = inputs.map(({ given, id, label }) => newReceipt(given, id, label));
  const terminal = shared.output === null ? decideTerminal(context.stdout, context.env, !shared.color) : null;
  const name = effectiveFormat(shared, terminal !== null);
  const fields = shared.fields === null ? null : parseFields(shared.fields, operation.name);
  const given = inputs.map(({ given }) => given);
  const format = await createFormat(name, { operation, fields, several, terminal, references: given });
  const isFile = shared.output !== null && (await checkFile(shared.output, operation.credits > 0));
  return {
    receipts,
    requests: async () =>
      inputs
        .filter(({ first }, index) => first === index)
        .map((reference) => ({ operation, parameters: task.parameters(reference) })),
    concurrency: Math.min(task.concurrency, inputs.length),
    isPaid: operation.credits > 0,
    destination: shared.output,
    resumeHint: () => null,
    work: async (session) => {
      const seen = task.seen === null ? null : await (await import('./seen.ts')).openSeenFile(task.seen);
      try {
        const sink = isFile
          ? new FileSink(shared.output ?? '', session)
          : new StreamSink(await openOutput(shared.output, context, session));
        const printer = new Printer(format, sink);
        try {
          await printAnswers(session, task, receipts, printer, seen);
        } finally {
          await printer.end();
          for (const warning of format.warnings()) session.stderr.warn(warning);
        }
        if (receipts.some(({ failure }) => failure !== null)) return;
        await sink.keep();
        if (isFile) for (const receipt of receipts) receipt.file = shared.output;
      } finally {
        await seen?.close(session.stderr);
      }
    },
  };
}

/** Whether `-o` names a file; checks that it can be written. */
async function checkFile(output: string, isPaid: boolean): Promise<boolean> {
  const { resolveTarget } = await import('../fs/target.ts');
  const { prepareWhole } = await import('../fs/write-whole.ts');
  const { minRoom } = await import('../fs/room.ts');
  if ((await resolveTarget(output)).kind === 'stream') return false;
  await prepareWhole(output, isPaid ? { room: minRoom } : {});
  return true;
}

/** An answer, or a failure. */
type Answer =
  | { readonly body: JsonText; readonly failure: null }
  | { readonly body: null; readonly failure: Failure };

async function printAnswers(
  session: Session,
  task: AnswerTask,
  receipts: readonly Receipt[],
  printer: Printer,
  seen: SeenFile | null,
): Promise<void> {
  const { inputs } = task.references;
  const unique = inputs.filter(({ first }, index) => first === index);
  const options = { concurrency: task.concurrency, lookahead: task.concurrency * lookahead };
  const fetched = concurrently(unique, options, (reference) =>
    fetchAnswer(session, task, reference, receipts[reference.first]),
  );
  const repeated = new Map(
    inputs.filter(({ first }, index) => first !== index).map(({ first }) => [first, null as Answer | null]),
  );
  for (const [position, input] of inputs.entries()) {
    const receipt = receipts[position];
    if (receipt === undefined) continue;
    let answer = repeated.get(input.first) ?? null;
    if (input.first === position) {
      const next = await fetched.next();
      if (next.done) return;
      answer = next.value;
      if (repeated.has(position)) repeated.set(position, answer);
    }
    if (answer === null) continue;
    const item: Item = { reference: input.given };
    receipt.started = true;
    if (answer.failure !== null) {
      const failure = session.fail(receipt, answer.failure);
      await printer.failed(item, failure);
      continue;
    }
    try {
      const body = entriesOf(answer.body, task, input, seen);
      receipt.id ??= input.id;
      if (task.operation.answer === 'record') {
        receipt.id = resolvedId(answer.body);
        receipt.entries = 1;
      } else receipt.entries = records(body).records.length;
      receipt.status = 'complete';
      await printer.body(item, body);
      await seen?.printed(session.stderr);
    } catch (error) {
      if (!(error instanceof ClosedPipe)) session.fail(receipt, toFailure(error).with({ scope: 'call' }));
      throw error;
    }
  }
}

/** The body with the entries that are printed: at most `limit`, and with `--seen` only new ones. */
function entriesOf(
  body: JsonText,
  { limit, operation }: AnswerTask,
  input: InputReference,
  seen: SeenFile | null,
): JsonText {
  if (operation.answer === 'record' || (limit === null && seen === null)) return body;
  const { list, records: all } = records(body);
  if (list === null) return body;
  const fresh = seen === null ? all : seen.newEntries(body, all, input);
  return withRecords(body, limit === null ? fresh : fresh.slice(0, limit));
}

/** A body with its records replaced; everything else as sent. */
function withRecords(body: JsonText, kept: readonly JsonText[]): JsonText {
  const { key } = records(body);
  const list = `[${kept.join(',')}]`;
  if (key === null) return JsonText.of(list);
  const members = [...body.members()];
  const last = members.findLastIndex(([name]) => name === key);
  return JsonText.of(
    `{${members.map(([name, value], i) => `${quoteJson(name)}:${i === last ? list : value}`).join(',')}}`,
  );
}

async function fetchAnswer(
  session: Session,
  task: AnswerTask,
  reference: InputReference,
  receipt: Receipt | undefined,
): Promise<Answer> {
  const tally = (receipt ?? newReceipt(reference.given, reference.id)).tally;
  try {
    session.throwIfEnded();
    const body = await session.client.call(task.operation, task.parameters(reference), tally);
    if (task.operation.answer === 'record' && resolvedId(body) === null)
      throw new Failure('bad_answer', 'the response has no channel_id', { status: 200 });
    session.succeed();
    return { body, failure: null };
  } catch (error) {
    const failure = toFailure(error);
    if (failure.scope === 'call') session.end(failure);
    return { body: null, failure };
  }
}

/** Where the text of answers goes. */
interface AnswerSink {
  write(text: Text): Promise<void>;
  /** All answers have been written. */
  keep(): Promise<void>;
}

/** stdout, a device or a pipe: each answer is written at once. */
class StreamSink implements AnswerSink {
  readonly #stream: { write(text: Text): Promise<void> };

  constructor(stream: { write(text: Text): Promise<void> }) {
    this.#stream = stream;
  }

  write(text: Text): Promise<void> {
    return this.#stream.write(text);
  }

  async keep(): Promise<void> {}
}

/** A file, replaced whole once all answers are there. A paid answer that cannot be written goes to stdout. */
class FileSink implements AnswerSink {
  readonly #path: string;
  readonly #session: Session;
  readonly #texts: Text[] = [];

  constructor(path: string, session: Session) {
    this.#path = path;
    this.#session = session;
  }

  async write(text: Text): Promise<void> {
    this.#texts.push(typeof text === 'string' ? text : Buffer.from(text));
  }

  async keep(): Promise<void> {
    const text = this.#texts.join('');
    const { writeWhole } = await import('../fs/write-whole.ts');
    try {
      const problem = await writeWhole(this.#path, text);
      if (problem !== null) this.#session.warn({ label: null, message: problem.message });
    } catch (error) {
      const { total } = this.#session.budget;
      if (total.credits.confirmed === 0) throw error;
      await (await openOutput(null, this.#session.context, this.#session)).write(text);
      const failure = toFailure(error);
      throw failure.with({ message: `${failure.message}; the paid answer was printed to stdout instead` });
    }
  }
}

/**
 * Writes answers in a format. The head is written with the first of them: a call without answers prints nothing, or
 * the header that the format always has.
 */
class Printer {
  readonly #format: Format;
  readonly #sink: AnswerSink;
  #isOpen = false;

  constructor(format: Format, sink: AnswerSink) {
    this.#format = format;
    this.#sink = sink;
  }

  async body(item: Item, body: JsonText): Promise<void> {
    await this.#sink.write(this.#head() + this.#format.body(item, body));
  }

  async failed(item: Item, failure: Failure): Promise<void> {
    const text = this.#format.failed(item, failure);
    if (text !== '') await this.#sink.write(this.#head() + text);
  }

  /** Completes the document, if there is one. */
  async end(): Promise<void> {
    if (this.#isOpen || this.#format.alwaysHasHead)
      await this.#sink.write(this.#head() + this.#format.tail());
  }

  #head(): string {
    if (this.#isOpen) return '';
    this.#isOpen = true;
    return this.#format.head();
  }
}

/** Calls a free operation for each channel and prints the responses; returns the exit code. */
export async function runChannels(
  operation: typeof operations.resolve | typeof operations.latest,
  options: AnswerOptions,
  context: Context,
): Promise<number> {
  const { shared, concurrency, limit, seen, from } = options;
  const [{ name }] = operation.parameters;
  const parameters = ({ value }: Reference) => ({ [name]: value });
  const check = (reference: Reference): void => checkParameters(operation, parameters(reference));
  return await runSession(
    operation.name,
    { shared, files: filesOf({ shared, from, seen }) },
    context,
    async () => {
      const references = await readReferences(options.references, from, operation.reference, context, check);
      return await planAnswers({
        operation,
        parameters,
        references,
        shared,
        concurrency,
        limit,
        seen,
        context,
      });
    },
  );
}
