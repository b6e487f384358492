import { exitCodes } from '../errors.ts';
import type { TopicName } from './document.ts';
import { environment, files } from './environment.ts';
import {
  checkFields,
  creditsFields,
  fieldRows,
  fieldRules,
  formatExamples,
  formatRows,
  formatRules,
  receiptFields,
  referenceFields,
} from './formats.ts';
import { exampleLines, rowLines, wrap } from './rows.ts';

/** How exit codes are chosen. */
export const exitRule =
  'An error is one line on stderr that names the next step. If references fail in different ways, the exit code is ' +
  'that of the most serious failure, in this order: 129, 130, 143, 1, 3, 4, 2, 8, 7, 6, 9, 10, 5.';

/** Which setting wins. */
export const precedence =
  'A flag takes precedence over its variable, a variable over the profile. An empty variable counts as unset.';

/** The text of each topic, in lines of at most `width` columns. */
export const topicTexts: Readonly<Record<TopicName, (width: number) => string>> = {
  'exit-codes': (width) =>
    page([rowLines('Exit codes:', Object.entries(exitCodes), width), wrap(exitRule, width)]),
  formats: (width) =>
    page([
      rowLines('Formats (-f, --format; --json and --ndjson for short):', formatRows, width),
      ...[...formatRules, ...fieldRules].map((rule) => wrap(rule, width)),
      rowLines('Fields:', fieldRows, width),
      rowLines('Fields of the report of --summary (JSON):', receiptFields, width),
      rowLines('Fields of each of its references:', referenceFields, width),
      rowLines('Fields of chanlist check:', checkFields, width),
      rowLines('Fields of chanlist credits:', creditsFields, width),
      exampleLines(formatExamples),
    ]),
  environment: (width) =>
    page([
      rowLines('Environment variables:', environment, width),
      wrap(precedence, width),
      rowLines('Files:', files, width),
    ]),
};

function page(blocks: readonly (readonly string[])[]): string {
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
