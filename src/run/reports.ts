import { resolve } from 'node:path';
import type { Context } from '../context.ts';
import { type Failure, fallbackHint } from '../errors.ts';
import type { Stderr } from '../output/stderr.ts';
import { describeCredits } from '../service/budget.ts';
import { count } from '../text/count.ts';
import { shellQuote } from '../text/shell-quote.ts';
import { type Receipt, spentOn } from './receipts.ts';

/** Where reports go. */
export interface Reporting {
  readonly stderr: Stderr;
  readonly context: Context;
  /** The command that requests references with one cause again; null if there is none. */
  retryHint(failed: readonly Receipt[]): string | null;
}

/** A warning about one reference, or about the call (null). */
export interface Warning {
  readonly label: string | null;
  readonly message: string;
  /** The next step. */
  readonly hint?: string | undefined;
}

/** Maximum number of names shown of a group. */
const maxNames = 3;
/** Maximum number of lines about references per call: a mail from cron stays short. */
const maxLines = 15;

/** The parts of a message on one line: what happened, then the next steps; empty parts are left out. */
export function line(...parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part).join('; ');
}

/** The one line of a failure: what happened, what was spent, the next step. */
export function failureLine(
  failure: Failure,
  label: string | null,
  spentText: string | null,
  next: string | null,
): string {
  const named = label === null || namesItself(failure, label) ? '' : `${label}: `;
  const again = failure.remedy === 'same-command' ? 'run the same command again' : undefined;
  return line(
    `${named}${failure.message}`,
    spentText,
    failure.hint,
    next ?? again ?? (failure.hint === undefined ? fallbackHint(failure.code) : null),
  );
}

/** Whether the program's own words name a reference. Only the message of an error quotes the service. */
const namesItself = ({ message, status }: Failure, name: string): boolean =>
  (status === null || status === 200) && message.includes(name);

/** `@a, @b, @c and 9 more`. */
export function shortNames(labels: readonly string[]): string {
  const named = labels.slice(0, maxNames).join(', ');
  return labels.length > maxNames ? `${named} and ${labels.length - maxNames} more` : named;
}

/** The first of some messages, and how many more there are. */
export function firstOf(messages: readonly string[]): string {
  return `${messages[0]}${messages.length > 1 ? ` (and ${messages.length - 1} more)` : ''}`;
}

/** `3 credits spent`; null if no paid request was sent, except where a budget did not allow one. */
export function spentText(receipts: readonly Receipt[]): string | null {
  const isPaid = receipts.some(({ tally, failure }) => tally.paidRequests > 0 || failure?.code === 'budget');
  if (!isPaid) return null;
  return describeCredits(spentOn(receipts), 'spent');
}

/**
 * Reports the failures of single references: those with the same cause and remedy in one line, with a count and the
 * first names; at most `maxLines` lines.
 */
export function reportFailures(
  { stderr, context, retryHint }: Reporting,
  receipts: readonly Receipt[],
): void {
  const groups = new Map<string, Receipt[]>();
  for (const receipt of receipts) {
    const { failure } = receipt;
    if (failure === null) continue;
    const key = JSON.stringify([
      failure.code,
      failure.status,
      sharedMessage(failure, receipt),
      withoutNames(failure.hint ?? '', receipt),
      receipt.resumeHint,
    ]);
    groups.set(key, [...(groups.get(key) ?? []), receipt]);
  }
  const all = [...groups.values()];
  for (const group of all.slice(0, maxLines)) {
    const [first] = group;
    const failure = first?.failure;
    if (!first || !failure) continue;
    const next = first.resumeHint ?? retryHint(group);
    if (group.length === 1) {
      stderr.error(failureLine(failure, nameOf(first), spentText(group), next));
    } else {
      const names = shortNames(group.flatMap(({ label }) => label ?? []));
      const what = sharedMessage(failure, first).replace(/^FILE: /, '');
      const { hint } = failure;
      const shared = failure.with({
        // A command ends the line, so that it can be copied.
        message: `${group.length} references: ${next === null ? what : `${names}: ${what}`}`,
        hint: hint && withoutNames(hint, first),
      });
      const text = failureLine(shared, null, spentText(group), next);
      stderr.error(next === null ? `${text}: ${names}` : text);
    }
    stderr.stack(failure, context);
  }
  const left = all.slice(maxLines).flat();
  if (left.length > 0)
    stderr.error(
      line(
        `${count(left.length, 'more reference', 'more references')} failed for other reasons: ${shortNames(
          left.flatMap(({ label }) => label ?? []),
        )}`,
        spentText(left),
        '--summary FILE lists all of them',
      ),
    );
}

/** The message of a failure without the names of its reference: the service may quote what was sent to it. */
function sharedMessage({ message, status }: Failure, receipt: Receipt): string {
  const { reference, id } = receipt;
  let text = withoutNames(message, receipt);
  if (status === null) return text;
  for (const name of [reference, id]) if (name !== null) text = text.replace(wordOf(name), 'REFERENCE');
  return text;
}

/** Matches a name that is not part of a longer one. */
const wordOf = (name: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}_@-])${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}_-])`,
    'gu',
  );

/** Replaces the names of one reference by FILE and REFERENCE, so that failures with the same cause have one text. */
function withoutNames(text: string, { file, reference }: Receipt): string {
  const general =
    file === null
      ? text
      : text
          .replaceAll(shellQuote(resolve(file)), 'FILE')
          .replaceAll(resolve(file), 'FILE')
          .replaceAll(file, 'FILE');
  return reference === null ? general : general.replaceAll(` ${shellQuote(reference)} `, ' REFERENCE ');
}

/** The name of a reference in a line: its label, and its file unless the message names it. */
function nameOf({ label, file, failure }: Receipt): string | null {
  if (file === null || failure?.message.includes(file)) return label;
  return label === null ? file : `${label} (${file})`;
}

/** Reports warnings; those with the same text in one line, with a count and the first names. */
export function reportWarnings(stderr: Stderr, warnings: readonly Warning[]): void {
  const groups = new Map<string, Warning[]>();
  for (const warning of warnings) {
    const key = JSON.stringify([warning.message, warning.hint]);
    groups.set(key, [...(groups.get(key) ?? []), warning]);
  }
  const all = [...groups.values()];
  for (const group of all.slice(0, maxLines)) {
    const [first] = group;
    if (!first) continue;
    const labels = group.flatMap(({ label }) => label ?? []);
    if (labels.length <= 1)
      stderr.warn(line(`${labels[0] === undefined ? '' : `${labels[0]}: `}${first.message}`, first.hint));
    else
      stderr.warn(
        `${line(`${labels.length} references: ${first.message}`, first.hint)}: ${shortNames(labels)}`,
      );
  }
  if (all.length > maxLines) stderr.warn(`${count(all.length - maxLines, 'more warning', 'more warnings')}`);
}
