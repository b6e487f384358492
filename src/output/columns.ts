import type { JsonText } from '../json/json-text.ts';
import { thousands } from '../text/count.ts';
import { expandFields, memberField, picker, splitViews } from './fields.ts';
import type { Field, FormatOptions, Item } from './format.ts';
import { memberMap } from './records.ts';

export interface Column {
  readonly header: string;
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

export interface Columns {
  readonly columns: readonly Column[];
  readonly cells: (entry: JsonText, item: Item) => string[];
}

/** The columns of a table, from the entries of the first page; `indexDigits`: of the largest expected index. */
export function chooseColumns(
  options: FormatOptions,
  entries: readonly JsonText[],
  indexDigits: number,
): Columns {
  const { fields, operation, several } = options;
  if (fields !== null) return fieldColumns(expandFields(fields, operation, entries));
  const chosen = hasVideos(entries)
    ? videoColumns(options, entries, indexDigits)
    : recordColumns(options, entries);
  if (!several) return chosen;
  return {
    columns: [{ header: '_reference', isWhole: true, reserved: 20 }, ...chosen.columns],
    cells: (entry, item) => [item.reference ?? '', ...chosen.cells(entry, item)],
  };
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
): Columns {
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
  const all: readonly (readonly [column: Column, text: (entry: JsonText) => string])[] = [
    [{ header: 'index', isRight: true, reserved: Math.max(5, indexDigits), drop: 5 }, field('index')],
    [{ header: 'videoId', ...whole, isRight: false, reserved: 11, drop: 1 }, field('videoId')],
    [{ header: 'lengthText', ...right, drop: 2 }, field('lengthText')],
    [{ header: 'viewCount', ...right, reserved: 10, drop: 3 }, field('viewCount')],
    [{ header: 'viewCountText', ...right, drop: 3 }, (entry) => views(entry)[0]],
    // The age in viewCountText, below the same header.
    [{ header: '', ...whole, reserved: 13, drop: 4 }, (entry) => (hasDate ? '' : views(entry)[1])],
    [{ header: 'publishedTimeText', ...whole, drop: 4 }, field('publishedTimeText')],
    [{ header: 'published', ...whole, drop: 4 }, date],
    [{ header: 'channelTitle', drop: 6 }, field('channelTitle')],
    [{ header: 'title', isTitle: true }, field('title')],
  ];
  const shown = all.filter(([{ header }, cell]) => {
    if (header === 'channelTitle') return new Set(entries.map(cell)).size > 1;
    return header === 'title' || entries.some((entry) => cell(entry) !== '');
  });
  return {
    columns: shown.map(([column]) => column),
    cells: (entry) => shown.map(([, cell]) => cell(entry)),
  };
}

/** A value in a table: numbers as in messages (`1,234`), but an index as it is. */
function cellText(name: string | undefined, value: JsonText | undefined): string {
  const text = value?.plain() ?? '';
  const isCount = name !== 'index' && (name === 'viewCount' || value?.kind === 'number');
  return isCount && /^\d{4,15}$/.test(text) ? thousands(Number(text)) : text;
}

const wholeMembers =
  /^(?:published|updated|publishedTimeText|lengthText|viewCountText|today|total|\w*Id|channel_id)$/;

function fieldColumns(fields: readonly Field[]): Columns {
  const pick = picker(fields);
  return {
    columns: fields.map(({ name }) => ({ header: name, isWhole: wholeMembers.test(name) })),
    cells: (entry, item) => pick(entry, item).map((value, i) => cellText(fields[i]?.name, value)),
  };
}

const maxKeyColumns = 100;

/** The columns of records of another shape: their members that are no arrays and objects, those of the operation first. */
function recordColumns(options: FormatOptions, entries: readonly JsonText[]): Columns {
  const members = entries.flatMap((entry) => [...memberMap(entry)]);
  const scalars = members.filter(([, { kind }]) => kind !== 'object' && kind !== 'array');
  const sent = new Set((scalars.length === 0 ? members : scalars).map(([key]) => key));
  const keys = new Set([...options.operation.fields.filter((key) => sent.has(key)), ...sent]);
  // The column of references has it.
  if (options.several) keys.delete('resolved_from');
  if (keys.size === 0) return { columns: [{ header: 'value' }], cells: (entry) => [String(entry)] };
  return fieldColumns([...keys].slice(0, maxKeyColumns).map(memberField));
}
