import { effectiveFormat } from '../cli/options.ts';
import { ClosedPipe, toFailure } from '../errors.ts';
import { parseFields } from '../output/fields.ts';
import { type Format, type Item, joined } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import { decideTerminal } from '../output/terminal.ts';
import { count, credits } from '../text/count.ts';
import { isShowable } from '../text/unsafe.ts';
import { type CommandLineChange, commandFor, commandLine, readsReceipt } from './command-line.ts';
import {
  firstEntries,
  isMissing,
  type ListingPlan,
  listPages,
  type PageSink,
  repeatFilter,
} from './listing.ts';
import { type OutputStream, openOutput } from './outputs.ts';
import { startPosition } from './position.ts';
import type { Receipt } from './receipts.ts';
import type { ListingStart, ListingTask } from './run-listing.ts';
import type { Session, SessionPlan } from './session.ts';

/** Plans a listing to stdout or to a stream: references one after another. */
export async function planOutput(task: ListingTask): Promise<SessionPlan> {
  const { operation, options, starts, several, context } = task;
  const { shared } = options;
  const terminal = shared.output === null ? decideTerminal(context.stdout, context.env, !shared.color) : null;
  const fields = shared.fields === null ? null : parseFields(shared.fields, operation.name);
  const name = effectiveFormat(shared, terminal !== null);
  const firstPageOnly = terminal !== null && name === 'table' && isQuickLook(options);
  return {
    receipts: starts.map(({ receipt }) => receipt),
    requests: async () => {
      const { firstRequest } = await import('./dry-run.ts');
      return starts.map((start) => firstRequest(operation, start));
    },
    concurrency: 1,
    isPaid: true,
    destination: shared.output,
    resumeHint: (session, stopped) => continueHint(session, task, stopped),
    retryHint: (session, failed) => continueHint(session, task, failed),
    work: async (session) => {
      const references = starts.flatMap(({ given }) => given ?? []);
      const format = await createFormat(name, { operation, fields, several, terminal, references });
      const document = new OutputDocument(session, format, await openOutput(shared.output, context, session));
      try {
        for (const start of starts) {
          const { receipt } = start;
          const sink = document.sink({ reference: start.given }, start === starts.at(-1));
          try {
            session.throwIfEnded();
          } catch (error) {
            // Every reference has a result in the output.
            await sink.close({ hasMore: true, token: null, failure: toFailure(error) });
            continue;
          }
          receipt.started = true;
          try {
            const plan = planOf(task, start);
            await listPages(session, firstPageOnly ? onlyFirstPage(plan) : plan, sink, receipt);
            if (receipt.status === 'limited') noteMore(session, task, receipt, firstPageOnly);
          } catch (error) {
            if (error instanceof ClosedPipe) throw error;
            const failure = session.fail(receipt, error);
            if (failure.scope === 'reference' && receipt.token !== null)
              receipt.resumeHint = continueHint(session, task, [receipt]);
          }
        }
        session.throwIfEnded();
      } finally {
        await document.end();
      }
    },
  };
}

/** A table at a terminal is a quick look: only these flags list more than the first page. */
const isQuickLook = ({ limit, all, shared }: ListingTask['options']): boolean =>
  limit === null && !all && shared.maxCredits.length === 0;

function planOf({ operation, options }: ListingTask, start: ListingStart): ListingPlan {
  return {
    operation,
    reference: start.given,
    start: { reference: start.value, token: start.token },
    before: startPosition,
    limit: options.limit,
    select: firstEntries(options.limit, repeatFilter(operation, []).take),
  };
}

function onlyFirstPage(plan: ListingPlan): ListingPlan {
  return {
    ...plan,
    select: async (page, written) => ({ ...(await plan.select(page, written)), done: true }),
  };
}

/** The one document that the listings of a call make. */
class OutputDocument {
  readonly #session: Session;
  readonly #format: Format;
  readonly #output: OutputStream;
  #isOpen = false;

  constructor(session: Session, format: Format, output: OutputStream) {
    this.#session = session;
    this.#format = format;
    this.#output = output;
  }

  /** The sink of one reference. `isLast`: nothing is bought after it, so its last page need not detect a closed pipe. */
  sink(item: Item, isLast: boolean): Required<PageSink> {
    const format = this.#format;
    const output = this.#output;
    let isOpen = false;
    let written = 0;
    return {
      page: async ({ entries }, { done }, page) => {
        const opening = isOpen ? '' : this.#head() + format.open(item, page.info);
        isOpen = true;
        const separator = written > 0 && entries.length > 0 ? format.separator : '';
        const text = joined(opening + separator, format.rows(item, entries));
        written += entries.length;
        await (done && isLast ? output.write(text) : output.writePage(text));
        this.#warn();
      },
      close: async (end) => {
        const opening = isOpen ? '' : this.#head() + format.open(item, null);
        const text = opening + format.close(item, end);
        if (text !== '') await output.write(text);
      },
    };
  }

  /** Writes the end of the document, if there is a start of it. */
  async end(): Promise<void> {
    if (this.#isOpen) await this.#output.write(this.#format.tail());
    this.#warn();
  }

  #head(): string {
    if (this.#isOpen) return '';
    this.#isOpen = true;
    return this.#format.head();
  }

  #warn(): void {
    for (const warning of this.#format.warnings()) this.#session.stderr.warn(warning);
  }
}

/** Prints how to list the rest of a limited listing, and its cost. */
function noteMore(session: Session, task: ListingTask, receipt: Receipt, firstPageOnly: boolean): void {
  const { total, entries, pages } = receipt;
  if (firstPageOnly) {
    // There are more than the page holds, whatever numVideos says.
    const known = total !== null && total > entries ? total : null;
    const about = known === null || entries === 0 ? null : Math.ceil(known / (entries / pages));
    const all =
      known === null ? 'there are more entries' : `${entries} of ${count(known, 'entry', 'entries')}`;
    const cost = about === null ? '1 credit per page' : `about ${credits(about)}`;
    session.stderr.note(
      `${receipt.label === null ? '' : `${receipt.label}: `}${all}; --all lists all of them for ${cost}`,
    );
    return;
  }
  if (receipt.token === null || !isShowable(receipt.token)) return;
  session.stderr.note(`more with: ${continueCommand(task, receipt, receipt.token)}`);
}

/** The commands that list the rest of these references. */
function continueHint(session: Session, task: ListingTask, receipts: readonly Receipt[]): string | null {
  const resumable = receipts.filter(
    (receipt) => receipt.failure === null || !isMissing(receipt.failure, receipt),
  );
  const [cut] = resumable.filter(({ token }) => token !== null);
  if (cut?.token != null && !isShowable(cut.token))
    return 'the continuation token of the next page cannot be shown; --json prints it';
  const unstarted = resumable.filter(({ token }) => token === null);
  // With --max-credits 0 the same command would stop again.
  const change: CommandLineChange =
    session.budget.maxCredits === 0
      ? { drop: ['--max-credits'], add: [{ name: '--max-credits', value: '1' }] }
      : {};
  const { invocation } = task.options;
  const references = unstarted.flatMap(({ reference }) => reference ?? []);
  const commands: string[] = [];
  if (cut?.token != null) {
    // The second command reads the receipt, which the first one must not replace.
    const drop = readsReceipt(invocation, references) ? [...(change.drop ?? []), '--summary'] : change.drop;
    commands.push(continueCommand(task, cut, cut.token, { ...change, ...(drop && { drop }) }));
  }
  if (unstarted.length > 0) commands.push(commandFor(invocation, references, change));
  return commands.length === 0 ? null : `resume with: ${commands.join('; ')}`;
}

/** The command that resumes at the page of a token. */
function continueCommand(
  { options }: ListingTask,
  { entries }: Receipt,
  token: string,
  { drop = [], add = [] }: CommandLineChange = {},
): string {
  const { invocation, limit } = options;
  const start = [...add, { name: '--continuation', value: token }];
  if (limit !== null && entries < limit) start.push({ name: '--limit', value: String(limit - entries) });
  return commandLine(invocation, [], { drop: [...drop, '--from', '--continuation', '--limit'], add: start });
}
