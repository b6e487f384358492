import { effectiveFormat } from '../cli/options.ts';
import { ClosedPipe, toFailure } from '../errors.ts';
import type { Format, Text } from '../output/format.ts';
import { createFormat } from '../output/formats.ts';
import { parseFields } from '../output/parse-fields.ts';
import { decideTerminal } from '../output/terminal.ts';
import { widest } from '../output/width.ts';
import type { Reference } from './read-references.ts';
import { type Result, resultOf, unreachedResult } from './results.ts';
import type { Run } from './run.ts';

/** The format of what a run prints, and whether that is a table at a terminal. */
export async function outputFormat({
  operation,
  options,
  references,
  context: { stdout, env },
}: Run): Promise<{ readonly format: Format; readonly isTerminalTable: boolean }> {
  const terminal = options.output === null ? decideTerminal(stdout, env, options.color) : null;
  const name = effectiveFormat(options, terminal !== null);
  const fields = parseFields(options.fields, operation);
  const several = options.references.length > 1 || options.from != null;
  const referenceWidth = widest(references.map(({ value }) => value));
  const format = await createFormat(name, { operation, fields, several, referenceWidth, terminal });
  return { format, isTerminalTable: terminal !== null && name === 'table' };
}

/**
 * Prints references one after another with `print`, and the failures of bad lines. Each has its place in a json document,
 * however the run ends.
 */
export async function printReferences(
  run: Run,
  format: Format,
  write: (text: Text) => Promise<void>,
  print: (reference: Reference) => Promise<Result>,
): Promise<readonly Result[]> {
  const { references } = run;
  const results: Result[] = [];
  try {
    for (const reference of references) {
      const { failure } = reference;
      if (failure !== null) await write(format.failed(reference, failure));
      results.push(failure === null ? await print(reference) : resultOf(reference));
      if (run.pipeClosed) break;
    }
    if (!run.pipeClosed) await write(format.tail());
  } catch (error) {
    if (error instanceof ClosedPipe) run.pipeClosed = true;
    else run.end(toFailure(error));
  }
  for (const warning of format.warnings()) run.warn('format', null, warning);
  const unreached = references.slice(results.length);
  return [...results, ...unreached.map((reference) => unreachedResult(reference, run.stopped))];
}
