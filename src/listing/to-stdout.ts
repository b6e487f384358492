import type { Call } from '../call.ts';
import type { Failure } from '../errors.ts';
import { effectiveFormat } from '../options.ts';
import { parseFields } from '../output/fields.ts';
import { type Format, joined } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import { Printer } from '../output/printer.ts';
import { Stdout } from '../output/stdout.ts';
import { decideTerminal } from '../output/terminal.ts';
import { newReceipt, type Receipt } from '../receipts.ts';
import { commandLine, isShowable } from './continue.ts';
import { firstEntries, list, nothingYet, type PageSink } from './list.ts';
import { firstRequest, type Listing, type Prepared, type Start } from './plan.ts';

/** A listing to stdout: references one after another. */
export async function prepare(listing: Listing): Promise<Prepared> {
  const { operation, options, starts, several, context } = listing;
  const { shared } = options;
  const terminal = decideTerminal(context.stdout, context.env, !shared.color);
  const fields = shared.fields === null ? null : parseFields(shared.fields, operation.name);
  const name = effectiveFormat(shared, terminal !== null);
  return {
    requests: starts.map((start) => firstRequest(operation, start)),
    run: async (call) => {
      const references = starts.flatMap(({ given }) => given ?? []);
      const format = await createFormat(name, { operation, fields, several, terminal, references });
      const stdout = new Stdout(context, call.talk);
      const printer = new Printer(format, (text) => stdout.write(text));
      try {
        for (const [position, start] of starts.entries()) {
          await listOne(call, listing, start, position, format, sinkOf(stdout, printer));
        }
      } finally {
        await printer.end();
      }
    },
  };
}

function sinkOf(stdout: Stdout, printer: Printer): PageSink {
  return {
    page: (text) => stdout.writePage(joined(printer.head(), text)),
    close: async (text) => {
      if (text !== '') await stdout.write(printer.head() + text);
    },
  };
}

async function listOne(
  call: Call,
  listing: Listing,
  start: Start,
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
      next: howToGoOn(listing, receipt, failure, start, failure.scope === 'call' ? left : []),
    });
  };
  try {
    await list(call, plan, format, sink, receipt);
  } finally {
    if (receipt.failure !== null) tell(receipt.failure);
  }
  if (receipt.status === 'limited' && receipt.token !== null && isShowable(receipt.token)) {
    call.talk.note(`more with: ${goOn(listing, receipt, start)}`);
  }
}

/** The command that continues a listing that ended before its end. */
function howToGoOn(
  listing: Listing,
  receipt: Receipt,
  failure: Failure,
  start: Start,
  left: readonly Start[],
): string | null {
  const never = ['not_found', 'usage', 'refused'].includes(failure.code);
  if (never && receipt.pages === 0) return null;
  if (failure.code === 'budget' && receipt.pages === 0) return 'allow more with --max-credits';
  if (receipt.token !== null && !isShowable(receipt.token)) {
    return 'the continuation token of the next page cannot be shown: --json gives it';
  }
  const commands = [goOn(listing, receipt, start)];
  if (left.length > 0 && left.length <= 10) {
    const references = left.map(({ given }) => given ?? '');
    commands.push(commandLine(listing.options.invocation, references, { drop: ['--from'] }));
  }
  const more =
    left.length > 10 ? `; not begun: ${left.length} more references, from ${left[0]?.given} on` : '';
  return `continue with: ${commands.join('; ')}${more}`;
}

function goOn({ options }: Listing, receipt: Receipt, start: Start): string {
  const { invocation, limit } = options;
  if (receipt.token === null) {
    const references = start.given === null ? [] : [start.given];
    return commandLine(invocation, references, { drop: ['--from'] });
  }
  const add = [{ name: '--continuation', value: receipt.token }];
  if (limit !== null && receipt.entries < limit)
    add.push({ name: '--limit', value: String(limit - receipt.entries) });
  return commandLine(invocation, [], { drop: ['--from', '--continuation', '--limit'], add });
}
