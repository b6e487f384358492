import type { Format, Text } from '../output/format.ts';
import type { Run } from './open.ts';
import type { Reference } from './read-references.ts';
import { type Result, unreachedResult } from './results.ts';

/** Prints references one after another; each has its place in a json document, however the run ends. */
export async function printAll<S extends Reference>(
  { report }: Run,
  references: readonly S[],
  format: Format,
  write: (text: Text) => Promise<void>,
  print: (reference: S) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  try {
    for (const reference of references) {
      results.push(await print(reference));
      if (report.hasReaderLeft) break;
    }
    if (!report.hasReaderLeft) await write(format.tail());
  } catch (error) {
    report.endAt(error);
  }
  for (const warning of format.warnings()) report.warn('format', null, warning);
  return [
    ...results,
    ...references.slice(results.length).map((reference) => unreachedResult(reference, report.stopped)),
  ];
}
