import { effectiveFormat } from '../cli/options.ts';
import { ClosedPipe, type Failure, toFailure } from '../errors.ts';
import { parseFields } from '../output/fields.ts';
import { type Format, joined } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import { Printer } from '../output/printer.ts';
import { Stdout } from '../output/stdout.ts';
import { decideTerminal } from '../output/terminal.ts';
import { commandLine, isShowable } from './command-line.ts';
import { firstEntries, list, type PageSink } from './listing.ts';
import { firstRequest, type Listing, type ListStart, type Prepared } from './listing-plan.ts';
import { nothingYet } from './position.ts';
import { failed, newReceipt, type Receipt } from './receipts.ts';
import type { Call } from './session.ts';

/** A listing to stdout: references one after another. */
export async function prepare(listing: Listing): Promise<Prepared> {
  const { operation, options, starts, several, context } = listing;
  const { shared } = options;
  const terminal = decideTerminal(context.stdout, context.env, !shared.color);
  const fields = shared.fields === null ? null : parseFields(shared.fields, operation.name);
  const name = effectiveFormat(shared, terminal !== null);
  return {
    requests: starts.map((start) => firstRequest(operation, start)),
    work: async (call) => {
      const references = starts.flatMap(({ given }) => given ?? []);
      const format = await createFormat(name, { operation, fields, several, terminal, references });
      const stdout = new Stdout(context, call.stderr);
      const printer = new Printer(format, (text) => stdout.write(text));
      try {
        for (const [position, start] of starts.entries()) {
          const sink = sinkOf(stdout, printer, position === starts.length - 1);
          try {
            await listOne(call, listing, start, position, format, sink);
          } catch (error) {
            if (!(error instanceof ClosedPipe))
              await notBegun(call, listing, position + 1, toFailure(error), format, sink);
            throw error;
          }
        }
      } finally {
        await printer.end();
      }
    },
  };
}

/** `last`: no other listing follows, so that nothing is bought behind its end. */
function sinkOf(stdout: Stdout, printer: Printer, last: boolean): PageSink {
  return {
    page: (text, { done }) => {
      const whole = joined(printer.head(), text);
      return done && last ? stdout.write(whole) : stdout.writePage(whole);
    },
    close: async (text) => {
      if (text !== '') await stdout.write(printer.head() + text);
    },
  };
}

/** Every reference has its place in the output and in the receipt, also where the call has ended before its turn. */
async function notBegun(
  call: Call,
  { starts }: Listing,
  from: number,
  failure: Failure,
  format: Format,
  sink: PageSink,
): Promise<void> {
  const end = { hasMore: true, token: null, failure };
  for (const [i, { given, id }] of starts.slice(from).entries()) {
    const receipt = newReceipt(given, id);
    failed(receipt, failure);
    call.receipts.push(receipt);
    const item = { reference: given, position: from + i };
    await sink.close(format.open(item, null) + format.close(item, end), end);
  }
}

async function listOne(
  call: Call,
  listing: Listing,
  start: ListStart,
  position: number,
  format: Format,
  sink: PageSink,
): Promise<void> {
  const { operation, options } = listing;
  const receipt = newReceipt(start.given, start.id);
  call.receipts.push(receipt);
  const plan = {
    operation,
    item: { reference: start.given, position },
    start: { reference: start.value, token: start.token },
    limit: options.limit,
    select: firstEntries(options.limit),
    before: nothingYet,
  };
  const tell = (failure: Failure): void => {
    const left = listing.starts.slice(position + 1);
    call.tell(failure, {
      reference: start.given,
      tally: failure.scope === 'call' ? call.budget.total : receipt.tally,
      next: resumeHint(call, listing, receipt, start, failure.scope === 'call' ? left : []),
    });
  };
  try {
    await list(call, plan, format, sink, receipt);
  } finally {
    if (receipt.failure !== null) tell(receipt.failure);
  }
  if (receipt.status === 'limited' && receipt.token !== null && isShowable(receipt.token)) {
    call.stderr.note(`more with: ${goOn(listing, receipt, receipt.token)}`);
  }
}

/** The commands that continue a listing that ended before its end, and those `left` that were not begun. */
function resumeHint(
  call: Call,
  listing: Listing,
  receipt: Receipt,
  start: ListStart,
  left: readonly ListStart[],
): string | null {
  const code = receipt.failure?.code ?? '';
  if (receipt.pages === 0 && ['not_found', 'usage', 'refused'].includes(code)) return null;
  if (receipt.token !== null && !isShowable(receipt.token)) {
    return 'the continuation token of the next page cannot be shown: --json gives it';
  }
  const { most } = call.budget;
  const few = left.length <= mostNamed ? left : [];
  const commands =
    receipt.token === null
      ? [begin(listing, [start, ...few], most)]
      : [goOn(listing, receipt, receipt.token), ...(few.length > 0 ? [begin(listing, few, most)] : [])];
  const more =
    few.length < left.length ? `; not begun: ${left.length} more references, from ${left[0]?.given} on` : '';
  return `continue with: ${commands.join('; ')}${more}`;
}

/** References that are named in a message, at the most. */
const mostNamed = 10;

/** The command that lists these from their start. */
function begin({ options }: Listing, starts: readonly ListStart[], budget: number | null): string {
  const references = starts.flatMap(({ given }) => given ?? []);
  // With no credit at all the same command would stop again.
  const change =
    budget === 0
      ? { drop: ['--from', '--max-credits'], add: [{ name: '--max-credits', value: '1' }] }
      : { drop: ['--from'] };
  return commandLine(options.invocation, references, change);
}

/** The command that goes on at the token of a page. */
function goOn({ options }: Listing, { entries }: Receipt, token: string): string {
  const { invocation, limit } = options;
  const add = [{ name: '--continuation', value: token }];
  if (limit !== null && entries < limit) add.push({ name: '--limit', value: String(limit - entries) });
  return commandLine(invocation, [], { drop: ['--from', '--continuation', '--limit'], add });
}
