import { excerpt } from '../errors.ts';
import { count } from '../text/count.ts';
import { sanitize } from '../text/sanitize.ts';
import { expandFields, memberFields, type Picker, picker } from './fields.ts';
import type { FormatOptions, Writer } from './format.ts';

/**
 * One `videoId` (resolve: `channel_id`) per line, or the values of `--fields` with tabs between them. Entries
 * that have none of them are left out, with a warning.
 */
export function idFormat({ operation, terminal, fields: given }: FormatOptions): Writer {
  const fields = given ?? memberFields([operation.idField]);
  const text = (value: string): string =>
    terminal === null ? value.replace(/[\0\t\r\n]+/g, ' ') : sanitize(value);
  let pick: Picker | null = null;
  let leftOut = 0;
  return {
    rows: (item, entries) => {
      if (entries.length === 0) return '';
      pick ??= picker(expandFields(fields, operation, entries), operation);
      let out = '';
      for (const entry of entries) {
        const values = pick(entry, item).map((value) => value.plain());
        if (values.some((value) => value !== '')) out += `${values.map(text).join('\t')}\n`;
        else leftOut++;
      }
      return out;
    },
    warnings: () => {
      const names = fields.map(({ name }) => name).join(', ');
      return leftOut === 0
        ? []
        : [`id: left out ${count(leftOut, 'entry', 'entries')} without ${excerpt(names)}`];
    },
  };
}
