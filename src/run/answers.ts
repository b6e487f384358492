import type { CreditBound } from '../accounts/bounds.ts';
import { type Operation, operations } from '../api/contract.ts';
import type { Parameters } from '../api/parameters.ts';
import type { Reference } from '../api/references.ts';
import { resolvedId } from '../api/resolved-id.ts';
import { effectiveFormat, type SharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, Failure, toFailure } from '../errors.ts';
import type { JsonText } from '../json/json-text.ts';
import { parseFields } from '../output/fields.ts';
import { createFormat } from '../output/formats.ts';
import { Printer } from '../output/printer.ts';
import { records } from '../output/records.ts';
import { decideTerminal } from '../output/terminal.ts';
import { openDestination } from './destination.ts';
import { inOrder } from './in-order.ts';
import type { References } from './read-references.ts';
import { failed, newReceipt, type Receipt } from './receipts.ts';
import type { Call, CallPlan } from './session.ts';

/** A command that prints whole answers, one for each reference. */
export interface BodyPlan {
  readonly operation: Operation;
  readonly parameters: (reference: Reference) => Parameters;
  readonly references: References;
  readonly shared: SharedOptions;
  readonly concurrency: number;
}

interface Outcome {
  readonly receipt: Receipt;
  /** Null where the reference failed. */
  readonly body: JsonText | null;
}

/** Checks where the answers go and in which form, before anything is sent; the work prints them in input order. */
export async function prepareBodies(
  plan: BodyPlan,
  maxCredits: readonly CreditBound[],
  context: Context,
): Promise<CallPlan> {
  const { operation, shared, references, concurrency } = plan;
  const terminal = shared.output === null ? decideTerminal(context.stdout, context.env, !shared.color) : null;
  const name = effectiveFormat(shared, terminal !== null);
  const fields = shared.fields === null ? null : parseFields(shared.fields, operation.name);
  const format = await createFormat(name, {
    operation,
    fields,
    several: references.several,
    terminal,
    references: references.list.map(({ given }) => given),
  });
  const destination = await openDestination(shared.output);
  return {
    requests: references.list.map((reference) => ({ operation, parameters: plan.parameters(reference) })),
    maxCredits,
    concurrency: Math.min(concurrency, references.list.length),
    work: async (call) => {
      const sink = destination.open(context, call.stderr);
      const printer = new Printer(format, (text) => sink.write(text));
      try {
        await printAnswers(call, plan, printer);
      } finally {
        await printer.end();
      }
      for (const warning of format.warnings()) call.stderr.warn(warning);
      if (call.receipts.some(({ failure }) => failure !== null)) return;
      await orFailed(call.receipts, () => sink.keep());
      for (const receipt of call.receipts) receipt.file = shared.output;
    },
  };
}

async function printAnswers(call: Call, plan: BodyPlan, printer: Printer): Promise<void> {
  let position = 0;
  const work = (reference: Reference): Promise<Outcome> => fetchAnswer(call, plan, reference);
  for await (const { receipt, body } of inOrder(plan.references.list, plan.concurrency, work)) {
    call.receipts.push(receipt);
    const item = { reference: receipt.reference, position: position++ };
    const { failure } = receipt;
    if (body !== null) await orFailed([receipt], () => printer.body(item, body));
    if (failure === null) continue;
    if (body === null) await printer.failed(item, failure);
    tell(call, plan, receipt, failure);
    if (failure.scope !== 'call') continue;
    // Every reference has its place in the output and in the receipt, also where its turn does not come.
    for (const { given, id } of plan.references.list.slice(position)) {
      const notBegun = newReceipt(given, id);
      failed(notBegun, failure);
      call.receipts.push(notBegun);
      await printer.failed({ reference: given, position: position++ }, failure);
    }
    throw failure;
  }
}

/** Does the last step of these references: where it throws, they have failed. */
async function orFailed(receipts: readonly Receipt[], step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof ClosedPipe)) for (const receipt of receipts) failed(receipt, toFailure(error));
    throw error;
  }
}

async function fetchAnswer(call: Call, plan: BodyPlan, reference: Reference): Promise<Outcome> {
  const receipt = newReceipt(reference.given, reference.id);
  try {
    const body = await call.client.call(plan.operation, plan.parameters(reference), receipt.tally);
    if (plan.operation.name === operations.resolve.name) {
      receipt.id = resolvedId(body);
      if (receipt.id === null)
        throw new Failure('bad_answer', 'the answer has no channel_id', { status: 200 });
      receipt.entries = 1;
    } else receipt.entries = records(body).records.length;
    receipt.status = 'complete';
    return { receipt, body };
  } catch (error) {
    failed(receipt, toFailure(error));
    return { receipt, body: null };
  }
}

function tell(call: Call, plan: BodyPlan, receipt: Receipt, failure: Failure): void {
  call.tell(failure, {
    reference: receipt.reference,
    tally: plan.operation.credits > 0 ? receipt.tally : null,
    next: null,
  });
}
