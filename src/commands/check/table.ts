import { age, type CheckedExport } from '../../export/check.ts';
import type { Terminal } from '../../output/format.ts';
import { drawTable } from '../../output/table.ts';
import { credits } from '../../text/count.ts';
import { sanitize } from '../../text/sanitize.ts';

const headers = ['file', 'reference', 'entries', 'checked', 'failures', 'credits', 'problems'];

/** The exports as a table, then each problem with its fix, in full. */
export async function checkTable(
  exports: readonly CheckedExport[],
  terminal: Terminal | null,
  now: number,
): Promise<string> {
  if (exports.length === 0) return '';
  const rows = exports.map((each) => [
    each.file ?? '-',
    each.reference ?? '-',
    `${each.entries ?? '?'}`,
    each.checked === null ? '?' : age(each.checked, now),
    `${each.failures}`,
    `${each.credits}`,
    each.problems.map(({ code }) => code).join(' ') || '-',
  ]);
  const details = exports.flatMap(({ file, reference, problems }) =>
    problems.flatMap(({ code, message, fix, cost }) => [
      sanitize(`${file ?? reference}: ${code}: ${message}`),
      sanitize(`  ${fix}${cost === 0 ? '' : `  # about ${credits(cost)}`}`),
    ]),
  );
  const text = details.length === 0 ? '' : `\n${details.join('\n')}\n`;
  return (await drawTable(headers, rows, terminal)) + text;
}
