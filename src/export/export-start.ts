import type { Call } from '../call/call.ts';
import { failed, newReceipt, type Receipt } from '../call/receipts.ts';
import { Failure, toFailure } from '../errors.ts';
import type { Target } from '../files/target.ts';
import type { ListStart } from '../listing/plan.ts';
import type { Tally } from '../service/credits.ts';
import { exportOne } from './export-one.ts';
import type { ExportSettings } from './task.ts';

/**
 * Exports one reference; never rejects: how it went is in the receipt, and has been told (in a folder of many:
 * unless it ends the whole call). `targetOf`: null where nothing is to be done. `finishing`: see `ExportTask`.
 */
export async function exportStart(
  call: Call,
  settings: ExportSettings,
  start: ListStart,
  targetOf: (receipt: Receipt) => Promise<Target | null>,
  finishing: (receipt: Receipt) => Promise<void> = async () => {},
): Promise<Receipt> {
  const receipt = newReceipt(start.given, start.id);
  const inFolder = settings.listing.options.outputDir !== null;
  try {
    call.checkHalted();
    const target = await targetOf(receipt);
    if (target === null) {
      receipt.status = 'unchanged';
      return receipt;
    }
    receipt.file = target.path;
    await exportOne({ call, settings, start, target, receipt, finishing: () => finishing(receipt) });
  } catch (error) {
    const failure = inFolder ? ofReference(toFailure(error)) : toFailure(error);
    failed(receipt, failure);
    if (failure.scope === 'call') call.halt(failure);
  }
  const { failure, file } = receipt;
  if (failure !== null && !(inFolder && failure.scope === 'call')) {
    const name = file ?? start.given;
    call.tell(failure, {
      reference: name !== null && failure.message.includes(name) ? null : name,
      tally: talliedFor(call, receipt),
      next: receipt.goOn,
    });
  }
  return receipt;
}

/** In a folder of many files, what is wrong with one of them stops only that one. */
function ofReference(failure: Failure): Failure {
  if (failure.code !== 'usage') return failure;
  return new Failure('usage', failure.message, {
    scope: 'reference',
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
  });
}

/** What was spent, as far as a failure's line tells it: by the whole call where that has ended. */
function talliedFor(call: Call, receipt: Receipt): Tally | null {
  if (receipt.failure?.scope === 'call' && call.budget.total.requests > 0) return call.budget.total;
  return receipt.tally.requests > 0 ? receipt.tally : null;
}
