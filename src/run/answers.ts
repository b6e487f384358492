import { type AnswerOptions, effectiveFormat, type SharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import { JsonText } from '../json/json-text.ts';
import { parseFields } from '../output/fields.ts';
import type { Format, Item, Text } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import { records, withList } from '../output/records.ts';
import { decideTerminal } from '../output/terminal.ts';
import type { Operation, operations } from '../service/contract.ts';
import { checkParameters, type Parameters } from '../service/parameters.ts';
import { type Reference, resolvedId } from '../service/references.ts';
import { concurrently } from './concurrently.ts';
import { filesOf, openOutput } from './outputs.ts';
import { type InputReference, type References, readReferences } from './read-references.ts';
import { newReceipt, type Receipt, setFailure } from './receipts.ts';
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
  const items = inputs.map((input) => ({ input, receipt: newReceipt(input.given, input.id, input.label) }));
  const receipts = items.map(({ receipt }) => receipt);
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
    isAllOrNothing: isFile,
    resumeHint: () => null,
    work: async (session) => {
      const seen = task.seen === null ? null : await (await import('./seen.ts')).openSeenFile(task.seen);
      try {
        const sink: AnswerSink = isFile
          ? new FileSink(shared.output ?? '', session)
          : await openOutput(shared.output, context, session);
        const printer = new Printer(format, sink);
        const noteSeen = async (): Promise<void> => await seen?.printed(session.stderr);
        try {
          // Until FILE is written, none of its entries has been seen.
          await printAnswers(session, task, items, printer, seen, isFile ? async () => {} : noteSeen);
        } finally {
          await printer.end();
          for (const warning of format.warnings()) session.stderr.warn(warning);
        }
        const failed = receipts.filter(({ failure }) => failure !== null).length;
        if (failed > 0) {
          if (isFile && receipts.length > 1)
            session.stderr.warn(
              `${shared.output} is not written: ${failed} of ${receipts.length} references failed`,
            );
          return;
        }
        await sink.keep?.();
        if (!isFile) return;
        for (const receipt of receipts) receipt.file = shared.output;
        await noteSeen();
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

/** A reference with its receipt. */
interface AnswerItem {
  readonly input: InputReference;
  readonly receipt: Receipt;
}

type Answer =
  | { readonly body: JsonText; readonly failure: null }
  | { readonly body: null; readonly failure: Failure };

/** Fetches and prints all answers, in input order; `printed` runs after each of them. */
async function printAnswers(
  session: Session,
  task: AnswerTask,
  items: readonly AnswerItem[],
  printer: Printer,
  seen: SeenFile | null,
  printed: () => Promise<void>,
): Promise<void> {
  const unique = items.filter(({ input }, index) => input.first === index);
  const options = { concurrency: task.concurrency, lookahead: task.concurrency * lookahead };
  const fetched = concurrently(unique, options, (item) => fetchAnswer(session, task, item));
  /** The answers that are printed more than once, by the index of their first input. */
  const repeated = new Map<number, Answer | null>(
    items.flatMap(({ input: { first } }, index) => (first === index ? [] : [[first, null]])),
  );
  for (const [position, { input, receipt }] of items.entries()) {
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
      if (input.first !== position) setFailure(receipt, answer.failure);
      await printer.failed(item, answer.failure);
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
      await printed();
    } catch (error) {
      if (!(error instanceof ClosedPipe)) session.fail(receipt, toFailure(error).with({ scope: 'run' }));
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
  const found = records(body);
  if (found.list === null) return body;
  const kept =
    seen === null
      ? found.records.slice(0, limit ?? undefined)
      : seen.newEntries(body, found.records, input, limit);
  return JsonText.of(withList(body, found, `[${kept.join(',')}]`));
}

async function fetchAnswer(
  session: Session,
  task: AnswerTask,
  { input, receipt }: AnswerItem,
): Promise<Answer> {
  try {
    session.throwIfEnded();
    const body = await session.client.call(task.operation, task.parameters(input), receipt.tally);
    if (task.operation.answer === 'record' && resolvedId(body) === null)
      throw new Failure('bad_answer', 'the response has no channel_id', { status: 200 });
    session.succeed();
    return { body, failure: null };
  } catch (error) {
    // Noted when it happens: successes are too, and an outage is a row without any.
    receipt.started = true;
    return { body: null, failure: session.fail(receipt, error) };
  }
}

/** Where the text of answers goes: a stream, which is written to at once, or a file. */
interface AnswerSink {
  write(text: Text): Promise<void>;
  /** Replaces the file, once all answers have been written. */
  keep?(): Promise<void>;
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
