import type { JsonText } from '../json/json-text.ts';
import { splitViews } from './computed.ts';
import { asText, expandFields, memberFields, picker } from './fields.ts';
import type { Field, FormatOptions, Item } from './format.ts';
import { memberMap, recordKeys } from './records.ts';

/** A column of a table. */
export interface Column {
  readonly header: string;
  readonly isRight?: boolean;
  /** Its cells are not cut: IDs, dates, durations. Numbers are not in any column. */
  readonly isWhole?: boolean;
  /** Width to reserve for later entries, if the first page is narrower. */
  readonly reserved?: number;
  /** Columns with a higher number are dropped first, of equal ones the last; by default 0. */
  readonly drop?: number;
  /** Takes the rest of the width. */
  readonly isTitle?: boolean;
}

/** The columns of a table, and the cells of an entry in them. */
export interface Columns {
  readonly columns: readonly Column[];
  readonly cells: (entry: JsonText, item: Item) => string[];
}

interface MemberColumn extends Column {
  readonly text: (entry: JsonText) => string;
}

/** The columns of a table: those of `--fields`, else a selection. `entries`: of the first page. */
export function chooseColumns(options: FormatOptions, entries: readonly JsonText[]): Columns {
  const { fields, operation, several } = options;
  if (fields !== null) return fieldColumns(options, expandFields(fields, operation, entries));
  const isVideos = entries.length === 0 ? operation.idField === 'videoId' : hasVideos(entries);
  const chosen = isVideos ? videos(options, entries) : recordColumns(options, entries);
  if (!several) return chosen;
  return {
    columns: [{ header: '@reference', isWhole: true, reserved: 20 }, ...chosen.columns],
    cells: (entry, item) => [item.reference ?? '', ...chosen.cells(entry, item)],
  };
}

function hasVideos(entries: readonly JsonText[]): boolean {
  const keys = recordKeys(entries);
  const areObjects = entries.every(({ kind }) => kind === 'object');
  return areObjects && keys.includes('videoId') && keys.includes('title');
}

/** The text of the first of these members that has one. */
const member =
  (...names: readonly string[]) =>
  (entry: JsonText): string => {
    for (const name of names) {
      const text = asText(entry.get(name) ?? null);
      if (text !== '') return text;
    }
    return '';
  };

/** The columns of videos, without those for which no entry has a value. The title is last: no cell is moved by it. */
function videos({ terminal }: FormatOptions, entries: readonly JsonText[]): Columns {
  // At a terminal the day of a date is enough.
  const day = (text: string): string =>
    terminal !== null && /^\d{4}-\d\d-\d\dT/.test(text) ? text.slice(0, 10) : text;
  const exactViews = member('viewCount');
  const viewsText = member('viewCountText');
  const date = member('@published', 'published', 'publishedTimeText');
  const all: readonly MemberColumn[] = [
    { header: '#', text: member('index'), isRight: true, reserved: 3, drop: 5 },
    { header: 'videoId', text: member('videoId'), isWhole: true, reserved: 11, drop: 1 },
    { header: 'length', text: member('lengthText'), isRight: true, isWhole: true, reserved: 7, drop: 2 },
    {
      header: 'views',
      text: (entry) => exactViews(entry) || splitViews(viewsText(entry))[0],
      ...{ isRight: true, isWhole: true, reserved: 10, drop: 3 },
    },
    {
      header: 'published',
      text: (entry) => day(date(entry)) || splitViews(viewsText(entry))[1],
      ...{ isWhole: true, reserved: 13, drop: 4 },
    },
    { header: 'channel', text: member('channelTitle'), drop: 6 },
    { header: 'title', text: member('title'), isTitle: true },
  ];
  const isShown = ({ header, text }: MemberColumn): boolean => {
    if (header === 'channel') return new Set(entries.map(text)).size > 1;
    return (
      ['videoId', 'title'].includes(header) ||
      entries.length === 0 ||
      entries.some((each) => text(each) !== '')
    );
  };
  const columns = all.filter(isShown);
  return { columns, cells: (entry) => columns.map(({ text }) => text(entry)) };
}

/** Members that are not cut, and those of them that are aligned right. */
const wholeMembers = /^(?:@published|published|updated|publishedTimeText|\w*Id|channel_id)$/;
const rightMembers: ReadonlySet<string> = new Set(['index', 'lengthText', 'viewCountText', 'viewCount']);

function fieldColumns({ operation }: FormatOptions, fields: readonly Field[]): Columns {
  const pick = picker(fields, operation);
  return {
    columns: fields.map(({ name }) => {
      const isRight = rightMembers.has(name);
      return { header: name, isRight, isWhole: isRight || wholeMembers.test(name) };
    }),
    cells: (entry, item) => pick(entry, item).map(asText),
  };
}

/** Maximum number of columns for records of unknown shape. */
const maxKeyColumns = 100;

/** The columns of records of another shape: their members that are no arrays and objects, those of the operation first. */
function recordColumns(options: FormatOptions, entries: readonly JsonText[]): Columns {
  const all = recordKeys(entries);
  const isScalar = (value: JsonText): boolean => value.kind !== 'object' && value.kind !== 'array';
  const scalar = new Set(
    entries.flatMap((entry) => [...memberMap(entry)].flatMap(([key, value]) => (isScalar(value) ? key : []))),
  );
  const own = options.operation.fields.filter((key) => entries.length === 0 || all.includes(key));
  const keys = new Set([...own, ...all.filter((key) => scalar.size === 0 || scalar.has(key))]);
  // The column of references has it.
  if (options.several) keys.delete('resolved_from');
  if (keys.size === 0) return { columns: [{ header: 'value' }], cells: (entry) => [String(entry)] };
  return fieldColumns(options, memberFields([...keys].slice(0, maxKeyColumns)));
}
