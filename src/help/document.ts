import { type Command, Help } from 'commander';
import type { Context } from '../context.ts';
import { type Operation, pageSize } from '../service/contract.ts';
import { credits } from '../text/count.ts';

/** A complete command line and its purpose. */
export type Example = readonly [what: string, line: string];

export type TermRows = readonly (readonly [term: string, meaning: string])[];

/** A list of terms and their meanings, under a heading. */
export interface Terms {
  readonly heading: string;
  readonly rows: TermRows;
}

/** The topics of the help that are not commands. */
export const topicNames = ['exit-codes', 'formats', 'environment'] as const;
export type TopicName = (typeof topicNames)[number];

/** Sets the paragraphs of a command's help, and after its flags terms and examples. */
export function describeCommand(
  command: Command,
  about: readonly string[],
  examples: readonly Example[],
  terms: Terms | null = null,
): void {
  command.description(about.join('\n\n')).addHelpText('after', ({ command: shown }) => {
    if (shown !== command) return '';
    const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
    const blocks = terms === null ? [] : [...termLines(terms, width), ''];
    return `\n${[...blocks, ...exampleLines(examples)].join('\n')}`;
  });
}

/** For the help of the commands that export. */
export const resumes =
  'With -o the file appears once it is complete. If a run is interrupted, the same command resumes with the next page.';

/** The cost of an operation in a few words. */
export function shortCost(operation: Operation): string {
  if (operation.credits === 0) return 'free';
  if (operation.body !== 'page') return credits(operation.credits);
  // The specification gives a page size only for uploads (section 8).
  const size = operation.name === 'uploads' ? ` of about ${pageSize}` : '';
  return `${credits(operation.credits)} per page${size}`;
}

/** The same as a sentence of the help (docs/service.md, sections 1, 5 and 8). */
export function costSentence(operation: Operation): string {
  if (operation.credits > 0) return `Costs ${shortCost(operation)}; errors of the service cost nothing.`;
  return 'Free; the account needs at least 1 credit.';
}

/** The width of help texts on this stdout: that of the terminal, from 60 to 200 columns; 80 elsewhere. */
export function helpColumns({ stdout }: Pick<Context, 'stdout'>): number {
  const columns = stdout.isTTY === true ? stdout.columns : undefined;
  return columns ? Math.max(60, Math.min(200, columns)) : 80;
}

/** A paragraph in lines of at most `width` columns. */
export function wrap(text: string, width: number): string[] {
  return new Help().boxWrap(text, width).split('\n');
}

/** Terms and their meanings in two columns, under their heading. */
export function termLines({ heading, rows }: Terms, width: number): string[] {
  const help = Object.assign(new Help(), { helpWidth: width, minWidthToWrap: 20 });
  const termWidth = Math.max(...rows.map(([term]) => term.length));
  const items = rows.flatMap(([term, meaning]) =>
    help.formatItem(term, termWidth, meaning, help).split('\n'),
  );
  return [...wrap(heading, width), ...items];
}

/** Examples under a heading. No line is broken, so that it can be copied. */
export function exampleLines(examples: readonly Example[]): string[] {
  return ['Examples:', ...examples.flatMap(([what, line]) => [`  # ${what}`, `  ${line}`])];
}
