import type { JsonText } from '../json/json-text.ts';
import { groupDigits } from '../text/count.ts';
import { entryKeys, expandFields, memberField, picker } from './fields.ts';
import type { EntrySource, Field, FormatOptions, Terminal } from './format.ts';
import { splitViews } from './video-texts.ts';
import { truncateToWidth } from './width.ts';

export interface Column {
  /** The header: a word for people, or the name of a field. */
  readonly header: string;
  readonly cell: (entry: JsonText, source: EntrySource) => string;
  /** `number` (aligned right) and `uncut` are truncated only beyond 40 columns. If absent, the cells decide the kind. */
  readonly kind?: 'number' | 'uncut' | 'text' | 'title';
  /** Width that is reserved, because later entries may need it. */
  readonly width?: number;
  /** Columns are dropped from the highest number down; among equals, the last one first. If absent, this one never is. */
  readonly dropOrder?: number;
  /** Minimum width: other columns are dropped before this one becomes narrower. */
  readonly min?: number;
}

/** Maximum width of a reference in a table: the length of a channel ID. */
const maxReference = 24;
/** Minimum width of a terminal for the column `index` to be shown. */
const minIndexColumns = 100;
/** Minimum width of a terminal for room to be reserved for views that are words (`214 waiting`). */
const minWideViews = 120;
/** Widths of cells that later references may need: `PREMIERE`, `142,627`, `123,456,789`. */
const laterWidths: ReadonlyMap<string, number> = new Map([
  ['lengthText', 8],
  ['_seconds', 7],
  ['_views', 11],
  ['viewCount', 11],
]);
const maxKeyColumns = 100;

/** Chooses the columns of a table by the entries of the first page. `mayFollow` says whether wider entries may follow. */
export function chooseColumns(
  options: FormatOptions,
  entries: readonly JsonText[],
  mayFollow: boolean,
): readonly Column[] {
  const { fields, shape, hasSeveral } = options;
  if (fields !== null)
    return expandFields(fields, shape, entryKeys(entries)).map((field) => {
      const column = fieldColumn(field);
      if (!hasSeveral) return column;
      if (field.name === '_reference') return { ...column, ...referenceSize(column.header, options) };
      return { ...column, width: laterWidths.get(field.name) ?? 0 };
    });
  const columns = hasVideos(entries)
    ? videoColumns(options, entries, mayFollow)
    : memberColumns(options, entries);
  const header = 'reference';
  const reference: Column = {
    header,
    cell: (_entry, { value, given }) => {
      const text = value ?? given ?? '';
      return options.terminal === null ? text : truncateToWidth(text, maxReference);
    },
    ...referenceSize(header, options),
  };
  return hasSeveral ? [reference, ...columns] : columns;
}

/** Returns the width of the column of references, all of which are known in advance. */
function referenceSize(header: string, { terminal, referenceWidth = maxReference }: FormatOptions) {
  const needed = Math.max(header.length, referenceWidth);
  const width = terminal === null ? needed : Math.min(needed, maxReference);
  return { kind: 'text', width, min: scaled(terminal, maxReference, width) } as const;
}

/** Scales a width chosen for 80 columns to this terminal; the result is at most `max`. */
const scaled = (terminal: Terminal, widthAt80: number, max: number): number =>
  terminal === null ? max : Math.min(max, Math.floor((widthAt80 * terminal.columns) / 80));

/** Whether every entry has an ID or a title, at least one has an ID, and at least one has a title. */
function hasVideos(entries: readonly JsonText[]): boolean {
  const has = (key: string) => (entry: JsonText) => entry.get(key) !== undefined;
  const [hasId, hasTitle] = [has('videoId'), has('title')];
  return (
    entries.some(hasId) && entries.some(hasTitle) && entries.every((entry) => hasId(entry) || hasTitle(entry))
  );
}

/** Chooses the columns of videos that have a value in some entry; the title is the last one, so that it moves no cell. */
function videoColumns(
  { shape, hasSeveral, terminal }: FormatOptions,
  entries: readonly JsonText[],
  mayFollow: boolean,
): readonly Column[] {
  const field = (name: string) => (entry: JsonText) => cellText(name, entry.get(name));
  const count = field('viewCount');
  const views = (entry: JsonText): readonly string[] => splitViews(field('viewCountText')(entry));
  const age = (entry: JsonText): string => field('publishedTimeText')(entry) || (views(entry)[1] ?? '');
  // At a terminal the day of a date is enough.
  const day = (date: string): string =>
    terminal !== null && /^\d{4}-\d\d-\d\dT/.test(date) ? date.slice(0, 10) : date;
  const published = (entry: JsonText): string => day(field('published')(entry)) || age(entry);
  const channel = (entry: JsonText): string => field('channelTitle')(entry) || field('author')(entry);
  const hasDates = entries.some(field('published'));
  const hasCounts = entries.some(count);
  // On a narrow terminal the title needs the room more.
  const isWide = hasCounts || terminal === null || terminal.columns >= minWideViews;
  const reservesLength = hasSeveral || mayFollow;
  const reservesViews = hasSeveral || shape.body === 'rows';
  const reservesAge = hasSeveral || shape.body !== 'list';
  // Widths are what later entries may need: an ID, `PREMIERE`, `123,456,789` or `214 waiting`, `11 months ago`.
  const columns = [
    { header: 'index', cell: field('index'), kind: 'number', dropOrder: 5 },
    { header: 'videoId', cell: field('videoId'), kind: 'uncut', width: 11, dropOrder: 1 },
    {
      header: 'length',
      cell: field('lengthText'),
      kind: 'number',
      width: reservesLength ? 8 : 0,
      dropOrder: 2,
    },
    {
      header: 'views',
      cell: (entry) => count(entry) || groupDigits(views(entry)[0] ?? ''),
      kind: 'number',
      width: reservesViews && isWide ? 11 : 0,
      dropOrder: 3,
    },
    hasDates
      ? { header: 'published', cell: published, kind: 'uncut', dropOrder: 2 }
      : { header: 'age', cell: age, kind: 'uncut', width: reservesAge ? 13 : 0, dropOrder: 4 },
    { header: 'channel', cell: channel, kind: 'text', dropOrder: 6 },
    { header: 'title', cell: field('title'), kind: 'title', min: scaled(terminal, 34, 40) },
  ] as const satisfies readonly (Column & { readonly cell: (entry: JsonText) => string })[];
  return columns.filter(({ header, cell }) => {
    if (header === 'title') return true;
    if (header === 'channel') return new Set(entries.map((entry) => cell(entry)).filter(Boolean)).size > 1;
    // A later channel may have values.
    if (hasSeveral && shape.body === 'page' && ['length', 'views', 'age'].includes(header)) return true;
    if (header === 'index' && terminal !== null && terminal.columns < minIndexColumns) return false;
    return entries.some((entry) => cell(entry) !== '');
  });
}

/** Formats a count as messages do (`1,234`); returns an index and any other value unchanged. */
function cellText(name: string, value: JsonText | undefined): string {
  const text = value?.plain() ?? '';
  const isCount = name !== 'index' && (name === 'viewCount' || value?.kind === 'number');
  return isCount ? groupDigits(text) : text;
}

const wholeMembers = /^(?:published|updated|\w*Id|channel_id)$/;

function fieldColumn(field: Field, dropOrder?: number): Column {
  const { name } = field;
  const pick = picker([field]);
  const cell: Column['cell'] = (entry, source) => cellText(name, pick(entry, source)[0]);
  const kind = name === 'title' ? 'title' : wholeMembers.test(name) ? 'uncut' : undefined;
  return { header: name, cell, ...(kind && { kind }), ...(dropOrder && { dropOrder }) };
}

/** Chooses the columns of entries that are not videos: members that are neither arrays nor objects, specified ones first. */
function memberColumns(options: FormatOptions, entries: readonly JsonText[]): readonly Column[] {
  const members = entries.flatMap((entry) => [...new Map(entry.members())]);
  const scalars = members.filter(([, { kind }]) => kind !== 'object' && kind !== 'array');
  const sent = new Set((scalars.length === 0 ? members : scalars).map(([key]) => key));
  const keys = new Set([...options.shape.fields.filter((key) => sent.has(key)), ...sent]);
  // The column of references already shows this value.
  if (options.hasSeveral) keys.delete('resolved_from');
  if (keys.size === 0) return [{ header: 'value', cell: String }];
  const { idField } = options.shape;
  return [...keys]
    .slice(0, maxKeyColumns)
    .map((key) => fieldColumn(memberField(key), key === idField ? undefined : 1));
}
