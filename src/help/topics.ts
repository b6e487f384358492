import { exitCodes } from '../errors.ts';
import { environment } from './environment.ts';
import { fieldRows, fieldRules, formatRows, formatRules } from './formats.ts';
import { twoColumns, wrap } from './text.ts';
import type { TopicName } from './topic-names.ts';

/** The text of each topic. */
export const topicTexts: Readonly<Record<TopicName, () => string>> = {
  'exit-codes': () =>
    page([
      ['Exit codes:', ...twoColumns(Object.entries(exitCodes))],
      wrap(
        'An error is one line on stderr that begins with "chanlist: " and says what to do next. Of several ' +
          'references, the first that failed, in the order of the input, gives the code.',
      ),
    ]),
  formats: () =>
    page([
      ['Formats (-f, --format; --json and --ndjson for short):', ...twoColumns(formatRows)],
      ...formatRules.map((rule) => wrap(rule)),
      ...fieldRules.map((rule) => wrap(rule)),
      ['Fields:', ...twoColumns(fieldRows)],
      [
        'Examples:',
        '  # titles of the first 5 uploads, one a line',
        '  chanlist uploads @demo --sandbox --limit 5 | jq -r .title',
        '  # a list for a spreadsheet',
        '  chanlist uploads @demo --sandbox --fields index,videoId,title -o demo.csv',
      ],
    ]),
  environment: () =>
    page([
      ['Environment variables:', ...twoColumns(environment)],
      wrap(
        'A flag takes precedence over its variable, a variable over the profile. An empty variable counts as unset.',
      ),
    ]),
};

function page(blocks: readonly (readonly string[])[]): string {
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
