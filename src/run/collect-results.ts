import { ClosedPipe, toFailure } from '../errors.ts';
import type { Chunk, Format } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import { parseFields } from '../output/parse-fields.ts';
import { defaultFormat } from '../output/terminal.ts';
import { widest } from '../output/width.ts';
import { type Result, unreachedResult } from './results.ts';
import type { Run } from './run.ts';

/** Creates the format of the output. `isTerminalTable`: it is a table at a terminal, which the pager shows. */
export async function startOutput({ operation, options, references, stdout }: Run) {
  const terminal = options.output === null ? stdout.terminal : null;
  const name = options.format ?? defaultFormat(terminal);
  const isTerminalTable = terminal !== null && name === 'table';
  const format = await createFormat(name, {
    shape: operation,
    fields: parseFields(options.fields, operation),
    hasSeveral: options.references.length > 1 || options.from !== null,
    referenceWidth: widest(references.map(({ value }) => value)),
    terminal,
  });
  if (isTerminalTable) stdout.usePager();
  return { format, isTerminalTable };
}

/**
 * Collects the results of references as they are printed, in input order, and completes the output. If `printed` throws, the
 * run ends, and the remaining references get results, too.
 */
export async function collectResults(
  run: Run,
  format: Format,
  write: (text: Chunk) => Promise<void>,
  printed: AsyncIterable<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  try {
    for await (const result of printed) {
      results.push(result);
      if (run.pipeClosed) break;
    }
    if (!run.pipeClosed) await write(format.tail());
  } catch (error) {
    if (error instanceof ClosedPipe) run.pipeClosed = true;
    else run.fail(toFailure(error));
  }
  for (const warning of format.warnings()) run.warn('format', null, warning);
  const unreached = run.references.slice(results.length);
  return [...results, ...unreached.map((reference) => unreachedResult(reference, run.stopReason))];
}
