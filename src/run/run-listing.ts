import type { ListingOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import type { PagedOperation } from '../service/contract.ts';
import { filesOf } from './outputs.ts';
import { readReferences } from './read-references.ts';
import { newReceipt, type Receipt } from './receipts.ts';
import { runSession } from './session.ts';

/** The start of one listing: a reference, or the token of a page. */
export interface ListingStart {
  /** As given; null with `--continuation`. */
  readonly given: string | null;
  /** As sent. */
  readonly value: string | null;
  readonly id: string | null;
  readonly token: string | null;
  readonly receipt: Receipt;
}

/** All arguments of a listing command, read and checked. */
export interface ListingTask {
  readonly operation: PagedOperation;
  readonly options: ListingOptions;
  /** Each reference once, in input order. */
  readonly starts: readonly ListingStart[];
  readonly several: boolean;
  readonly context: Context;
}

/** Lists references page by page, to stdout, to a file or to a folder of files; returns the exit code. */
export async function runListing(
  operation: PagedOperation,
  options: ListingOptions,
  context: Context,
): Promise<number> {
  const { shared, outputDir } = options;
  if (outputDir !== null && shared.summary !== null)
    await (await import('../export/plan-folder.ts')).keepReportApart(outputDir, shared.summary);
  return await runSession(operation.name, { shared, files: filesOf(options) }, context, async () => {
    const { repeated, ...starts } = await readStarts(operation, options, context);
    const plan = await planOf({ operation, options, context, ...starts });
    if (repeated === 0) return plan;
    return {
      ...plan,
      work: async (session) => {
        session.stderr.warn(
          repeated === 1
            ? '1 reference is given more than once and listed once'
            : `${repeated} references are given more than once and listed once each`,
        );
        await plan.work(session);
      },
    };
  });

  async function planOf(task: ListingTask) {
    if (outputDir !== null) return (await import('../export/plan-folder.ts')).planFolder(task, outputDir);
    if (shared.output !== null) {
      const { resolveTarget } = await import('../fs/target.ts');
      const target = await resolveTarget(shared.output);
      if (target.kind === 'file') {
        if (task.starts.length > 1)
          throw usage('-o takes one reference', 'use --output-dir DIR for several: one file each');
        return (await import('../export/plan-file.ts')).planFile(task, target);
      }
      if (options.update || options.restart)
        throw usage(`${shared.output} is not a regular file`, 'an export to update needs one');
    }
    return (await import('./list-to-output.ts')).planOutput(task);
  }
}

async function readStarts(
  operation: PagedOperation,
  { continuation, references, from }: ListingOptions,
  context: Context,
): Promise<{ starts: ListingStart[]; several: boolean; repeated: number }> {
  if (continuation !== null) {
    const start = {
      given: null,
      value: null,
      id: null,
      token: continuation,
      receipt: newReceipt(null, null),
    };
    return { starts: [start], several: false, repeated: 0 };
  }
  const [{ kind }] = operation.parameters;
  const { inputs } = await readReferences(references, from, kind, context);
  const unique = inputs.filter(({ first }, index) => first === index);
  const starts = unique.map(({ given, label, value, id }) => ({
    ...{ given, value, id, token: null },
    receipt: newReceipt(given, id, label),
  }));
  const repeated = new Set(inputs.flatMap(({ first }, index) => (first === index ? [] : [first]))).size;
  return { starts, several: unique.length > 1 || from !== null, repeated };
}
