import type { JsonText } from '../json/json-text.ts';
import { thousands } from '../text/count.ts';
import { expandFields, memberField, picker, splitViews } from './fields.ts';
import type { Field, FormatOptions, Item } from './format.ts';
import { memberMap, recordKeys } from './records.ts';

export interface Column {
  readonly header: string;
  readonly cell: (entry: JsonText, item: Item) => string;
  /** By default only if all cells of the first rows are numbers. */
  readonly isRight?: boolean;
  /** Its cells are not cut: IDs, dates, durations. Numbers are not in any column. */
  readonly isWhole?: boolean;
  /** Width to reserve for later entries, if the first page is narrower. */
  readonly reserved?: number;
  /** Columns with a higher number are dropped first, of equal ones the last; by default 0. */
  readonly drop?: number;
  readonly isTitle?: boolean;
}

/** The columns of a table, from the entries of the first page; `indexDigits`: of the largest expected index. */
export function chooseColumns(
  options: FormatOptions,
  entries: readonly JsonText[],
  indexDigits: number,
): readonly Column[] {
  const { fields, operation, several } = options;
  if (fields !== null) return fieldColumns(expandFields(fields, operation, recordKeys(entries)));
  const chosen = hasVideos(entries)
    ? videoColumns(options, entries, indexDigits)
    : recordColumns(options, entries);
  if (!several) return chosen;
  const reference: Column['cell'] = (_entry, item) => item.reference ?? '';
  return [
    {
      header: '_reference',
      cell: reference,
      isWhole: true,
      reserved: Math.min(options.referenceWidth ?? 20, 40),
    },
    ...chosen,
  ];
}

/** Whether all are objects, and some have an ID and a title. */
const hasVideos = (entries: readonly JsonText[]): boolean =>
  entries.every(({ kind }) => kind === 'object') &&
  ['videoId', 'title'].every((key) => entries.some((entry) => entry.get(key) !== undefined));

/** The columns of videos that have a value in some entry; the title is last, so that it moves no cell. */
function videoColumns(
  { terminal }: FormatOptions,
  entries: readonly JsonText[],
  indexDigits: number,
): readonly Column[] {
  const field = (name: string) => (entry: JsonText) => cellText(name, entry.get(name));
  const date = (entry: JsonText): string => {
    const sent = field('published')(entry);
    // At a terminal the day of a date is enough.
    return terminal !== null && /^\d{4}-\d\d-\d\dT/.test(sent) ? sent.slice(0, 10) : sent;
  };
  const views = (entry: JsonText) => splitViews(field('viewCountText')(entry));
  const hasDate = entries.some((entry) => field('published')(entry) || field('publishedTimeText')(entry));
  const whole = { isWhole: true } as const;
  const right = { isRight: true, isWhole: true } as const;
  const all: readonly (Column & { readonly cell: (entry: JsonText) => string })[] = [
    { header: 'index', cell: field('index'), isRight: true, reserved: Math.max(5, indexDigits), drop: 5 },
    { header: 'videoId', cell: field('videoId'), ...whole, isRight: false, reserved: 11, drop: 1 },
    { header: 'lengthText', cell: field('lengthText'), ...right, drop: 2 },
    { header: 'viewCount', cell: field('viewCount'), ...right, reserved: 10, drop: 3 },
    { header: 'viewCountText', cell: (entry) => views(entry)[0], ...right, drop: 3 },
    // The age in viewCountText, below the same header.
    { header: '', cell: (entry) => (hasDate ? '' : views(entry)[1]), ...whole, reserved: 13, drop: 4 },
    { header: 'publishedTimeText', cell: field('publishedTimeText'), ...whole, drop: 4 },
    { header: 'published', cell: date, ...whole, drop: 4 },
    { header: 'channelTitle', cell: field('channelTitle'), drop: 6 },
    { header: 'title', cell: field('title'), isTitle: true },
  ];
  return all.filter(({ header, cell }) => {
    if (header === 'channelTitle') return new Set(entries.map((entry) => cell(entry))).size > 1;
    return header === 'title' || entries.some((entry) => cell(entry) !== '');
  });
}

/** A value in a table: numbers as in messages (`1,234`), but an index as it is. */
function cellText(name: string, value: JsonText | undefined): string {
  const text = value?.plain() ?? '';
  const isCount = name !== 'index' && (name === 'viewCount' || value?.kind === 'number');
  return isCount && /^\d{4,15}$/.test(text) ? thousands(Number(text)) : text;
}

const wholeMembers =
  /^(?:published|updated|publishedTimeText|lengthText|viewCountText|today|total|\w*Id|channel_id)$/;

function fieldColumns(fields: readonly Field[]): readonly Column[] {
  return fields.map((field) => {
    const { name } = field;
    const pick = picker([field]);
    const cell: Column['cell'] = (entry, item) => cellText(name, pick(entry, item)[0]);
    const isTitle = name === 'title';
    return { header: name, cell, isWhole: wholeMembers.test(name), isTitle, drop: isTitle ? 0 : 1 };
  });
}

const maxKeyColumns = 100;

/** The columns of records of another shape: their members that are no arrays and objects, those of the operation first. */
function recordColumns(options: FormatOptions, entries: readonly JsonText[]): readonly Column[] {
  const members = entries.flatMap((entry) => [...memberMap(entry)]);
  const scalars = members.filter(([, { kind }]) => kind !== 'object' && kind !== 'array');
  const sent = new Set((scalars.length === 0 ? members : scalars).map(([key]) => key));
  const keys = new Set([...options.operation.fields.filter((key) => sent.has(key)), ...sent]);
  // The column of references has it.
  if (options.several) keys.delete('resolved_from');
  if (keys.size === 0) return [{ header: 'value', cell: String }];
  return fieldColumns([...keys].slice(0, maxKeyColumns).map(memberField));
}
