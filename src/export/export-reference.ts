import { basename } from 'node:path';
import type { Tally } from '../api/credits.ts';
import { Failure, toFailure } from '../errors.ts';
import type { Target } from '../fs/target.ts';
import type { ListStart } from '../run/listing-plan.ts';
import { failed, newReceipt, type Receipt } from '../run/receipts.ts';
import type { Call } from '../run/session.ts';
import { restartCommand } from './restart-command.ts';
import type { ExportSettings, ExportTask } from './task.ts';
import { withLock } from './with-lock.ts';

/**
 * Exports one reference; never rejects: how it went is in the receipt, and has been told (in a folder of many:
 * unless it ends the whole call). `targetOf`: null where nothing is to be done. `finishing`: see `ExportTask`.
 */
export async function exportReference(
  call: Call,
  settings: ExportSettings,
  start: ListStart,
  targetOf: (receipt: Receipt) => Promise<Target | null>,
  finishing: (receipt: Receipt) => Promise<void> = async () => {},
): Promise<Receipt> {
  const receipt = newReceipt(start.given, start.id);
  const inFolder = settings.listing.options.outputDir !== null;
  let task: ExportTask | null = null;
  try {
    call.checkHalted();
    const target = await targetOf(receipt);
    if (target === null) {
      receipt.status = 'unchanged';
      return receipt;
    }
    receipt.file = target.path;
    task = { call, settings, start, target, receipt, finishing: () => finishing(receipt) };
    await withLock(task);
  } catch (error) {
    const failure = inFolder ? ofOne(toFailure(error), task) : toFailure(error);
    failed(receipt, failure);
    if (failure.scope === 'call') call.halt(failure);
  }
  const { failure, file } = receipt;
  if (failure !== null && !(inFolder && failure.scope === 'call')) {
    call.tell(failure, {
      reference: nameOf(start, file, failure),
      tally: talliedFor(call, receipt),
      next: receipt.goOn,
    });
  }
  return receipt;
}

/** What a failure's line begins with: the reference and its file, unless the message names that. */
function nameOf({ given }: ListStart, file: string | null, { message }: Failure): string | null {
  if (file !== null && !namesFile(message, basename(file)))
    return given === null ? file : `${given} (${file})`;
  return given !== null && message.includes(given) ? null : given;
}

const namesFile = (message: string, name: string): boolean =>
  message
    .split(/[\s:]/)
    .some((word) => ['', '.part', '.part.json'].some((end) => basename(word) === name + end));

/**
 * A failure in a folder of many files: what is wrong with one of them stops only that one, and `--restart` must not
 * be meant for all.
 */
function ofOne(failure: Failure, task: ExportTask | null): Failure {
  const { code, message, hint = '', status, cause } = failure;
  const alone = task !== null && /--restart/.test(hint) && !hint.includes('chanlist ');
  if (code !== 'usage' && !alone) return failure;
  const told = alone ? `${hint}; for this one alone: ${restartCommand(task)}` : hint;
  return new Failure(code, message, {
    scope: code === 'usage' ? 'reference' : failure.scope,
    ...(told === '' ? {} : { hint: told }),
    ...(status === null ? {} : { status }),
    cause,
  });
}

/** What was spent, as far as a failure's line tells it: by the whole call where that has ended. */
function talliedFor(call: Call, receipt: Receipt): Tally | null {
  if (receipt.failure?.scope === 'call' && call.budget.total.requests > 0) return call.budget.total;
  return receipt.tally.requests > 0 ? receipt.tally : null;
}
