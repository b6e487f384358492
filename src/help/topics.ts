import type { TopicName } from '../cli/commands.ts';
import { exitCodes } from '../errors.ts';
import { type Example, exampleLines } from './document.ts';
import { environment } from './environment.ts';
import { fileRows } from './files.ts';
import { fieldRows, fieldRules, formatRows, formatRules, memoryRows, memoryRule } from './formats.ts';
import { checkRows, creditsRows, referenceRows, summaryRows } from './reports.ts';
import { twoColumns, wrap } from './text.ts';

/** The text of each topic, in lines of at most `width` columns. */
export const topicTexts: Readonly<Record<TopicName, (width: number) => string>> = {
  'exit-codes': (width) =>
    page([
      ['Exit codes:', ...twoColumns(Object.entries(exitCodes), width)],
      wrap(
        'An error is one line on stderr that begins with "chanlist: " and names the next step. If several ' +
          'references fail, the first of them in input order sets the code: a spent budget (9) precedes all others, and ' +
          'a channel that was exported before and is gone (5) counts only if nothing else failed.',
        width,
      ),
    ]),
  formats: (width) =>
    page([
      ['Formats (-f, --format; --json and --ndjson for short):', ...twoColumns(formatRows, width)],
      ...[...formatRules, ...fieldRules].map((rule) => wrap(rule, width)),
      ['Fields:', ...twoColumns(fieldRows, width)],
      wrap(memoryRule, width),
      ['Fields of .chanlist/*.json:', ...twoColumns(memoryRows, width)],
      ['Fields of the report of --summary (JSON):', ...twoColumns(summaryRows, width)],
      ['Fields of each of its references:', ...twoColumns(referenceRows, width)],
      ['Fields of an export in chanlist check:', ...twoColumns(checkRows, width)],
      ['Fields of chanlist credits --json:', ...twoColumns(creditsRows, width)],
      ['Examples:', ...exampleLines(formatExamples, width)],
    ]),
  environment: (width) =>
    page([
      ['Environment variables:', ...twoColumns(environment, width)],
      wrap(
        'A flag takes precedence over its variable, a variable over the profile. An empty variable counts as unset.',
        width,
      ),
      ['Files:', ...twoColumns(fileRows, width)],
    ]),
};

const formatExamples: readonly Example[] = [
  ['print the titles of the first 5 uploads', 'chanlist uploads @demo --sandbox --limit 5 | jq -r .title'],
  [
    'write a list for a spreadsheet',
    'chanlist uploads @demo --sandbox --fields index,videoId,title -o demo.csv',
  ],
];

function page(blocks: readonly (readonly string[])[]): string {
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
