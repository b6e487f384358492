import type { Format, Text } from '../output/format.ts';
import type { Run } from './open.ts';
import { type Result, type Subject, unreachedResult } from './results.ts';

/** Prints references one after another; each has its place in a json document, however the run ends. */
export async function printAll<S extends Subject>(
  { report }: Run,
  subjects: readonly S[],
  format: Format,
  write: (text: Text) => Promise<void>,
  print: (subject: S) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  try {
    for (const subject of subjects) {
      results.push(await print(subject));
      if (report.hasReaderLeft) break;
    }
    if (!report.hasReaderLeft) await write(format.tail());
  } catch (error) {
    report.endAt(error);
  }
  for (const warning of format.warnings()) report.warn('format', null, warning);
  return [
    ...results,
    ...subjects.slice(results.length).map((subject) => unreachedResult(subject, report.stopped)),
  ];
}
