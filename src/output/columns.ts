import type { JsonText } from '../json/json-text.ts';
import { asText, expandFields, picker } from './fields.ts';
import type { EntryColumn, Field, FormatOptions, RecordShape } from './format.ts';
import { memberMap, recordKeys } from './records.ts';

/** The columns of a table: those of `--fields`, else a selection for the operation. `entries`: of the first page. */
export function entryColumns(options: FormatOptions, entries: readonly JsonText[]): EntryColumn[] {
  const { fields, operation, several, references = [] } = options;
  if (fields !== null)
    return expandFields(fields, operation, entries).map((field) => fieldColumn(field, operation));
  const isTerminal = options.terminal !== null;
  const columns = operationColumns[operation.name] ?? answerColumns[operation.answer];
  const isSpecified = operation.fields.length > 0;
  const isUsual = isSpecified || entries.length === 0 || hasEssentials(entries);
  const present = isUsual ? presentColumns(columns, isSpecified, entries) : [];
  const shown =
    present.length > 0 ? present.map((column) => memberColumn(column, isTerminal)) : keyColumns(entries);
  if (!several) return shown;
  const ownReference = shown.filter(({ header }) => header !== 'resolved_from');
  return [referenceColumn(references), ...ownReference];
}

/** A column of the first of these members that an entry has. */
interface MemberColumn extends Omit<EntryColumn, 'text'> {
  readonly members: readonly string[];
  /** Shown only if an entry of the first page has a value for it. */
  readonly isOptional?: boolean;
  /** At a terminal the day of a date is enough. */
  readonly isDate?: boolean;
}

/** The columns of videos, by their header; without members, the one of that name. */
const videoColumns = {
  '#': { members: ['index'], align: 'right', dropIfTitleBelow: 16, reservedWidth: 3 },
  videoId: { dropIfTitleBelow: 6, reservedWidth: 11, maxWidth: 24 },
  length: { members: ['lengthText'], align: 'right', dropIfTitleBelow: 15, reservedWidth: 7, maxWidth: 12 },
  views: { members: ['viewCountText', 'viewCount'], align: 'right', dropIfTitleBelow: 20, maxWidth: 28 },
  channel: { members: ['channelTitle'], dropIfTitleBelow: 40, maxWidth: 24 },
  published: {
    members: ['published', 'publishedTimeText'],
    dropIfTitleBelow: 18,
    maxWidth: 20,
    isDate: true,
  },
  title: { flexible: true, minWidth: 6 },
} as const satisfies Record<string, Partial<MemberColumn>>;

const column = (header: keyof typeof videoColumns, changes: Partial<MemberColumn> = {}): MemberColumn => ({
  ...{ header, members: [header], align: 'left' },
  ...videoColumns[header],
  ...changes,
});

const listed = column('published', { isOptional: true });
const relative = column('published', { members: ['publishedTimeText', 'published'] });
const exactViews = column('views', { members: ['viewCount', 'viewCountText'] });
const index = column('#');
const videoId = column('videoId');
const length = column('length');
const views = column('views');
const title = column('title');

/** Columns by the kind of answer. The title is last: if a terminal measures it differently, no other column moves. */
const answerColumns: Readonly<Record<RecordShape['answer'], readonly MemberColumn[]>> = {
  record: [
    { header: 'channel_id', members: ['channel_id'], align: 'left', reservedWidth: 24 },
    { header: 'resolved_from', members: ['resolved_from'], align: 'left', dropIfTitleBelow: 0, minWidth: 8 },
  ],
  list: [videoId, length, views, relative, title],
  page: [index, videoId, length, views, listed, title],
};

/** Columns of the operations that have others. */
const operationColumns: Readonly<Partial<Record<string, readonly MemberColumn[]>>> = {
  latest: [column('published'), videoId, length, exactViews, title],
  playlist: [index, videoId, length, views, listed, column('channel'), title],
};

const hasEssentials = (entries: readonly JsonText[]): boolean => {
  const keys = recordKeys(entries);
  return keys.includes('videoId') && keys.includes('title');
};

/** Leaves out columns that may be missing and for which no entry has a value; none if there are no entries. */
function presentColumns(
  columns: readonly MemberColumn[],
  isSpecified: boolean,
  entries: readonly JsonText[],
): readonly MemberColumn[] {
  if (entries.length === 0 && !isSpecified) return columns;
  const isPresent = (member: string): boolean =>
    entries.some((entry) => (entry.get(member)?.kind ?? 'null') !== 'null');
  return columns.filter(
    ({ members, isOptional = false }) => (isSpecified && !isOptional) || members.some(isPresent),
  );
}

function memberColumn(column: MemberColumn, isTerminal: boolean): EntryColumn {
  const { members, isDate = false } = column;
  const text = (entry: JsonText): string => {
    for (const member of members) {
      const value = asText(entry.get(member) ?? null);
      if (value !== '') return isDate && isTerminal ? day(value) : value;
    }
    return '';
  };
  return { ...column, text };
}

/** The day of an ISO 8601 date. */
const day = (text: string): string => (/^\d{4}-\d\d-\d\dT/.test(text) ? text.slice(0, 10) : text);

/** Maximum number of columns for records of unknown shape; records with more keys are shown as JSON. */
const maxKeyColumns = 100;

/** Columns for records of an unspecified shape: their keys. */
function keyColumns(entries: readonly JsonText[]): EntryColumn[] {
  const scalar = new Set<string>();
  for (const entry of entries) {
    for (const [key, value] of memberMap(entry)) {
      if (value.kind !== 'object' && value.kind !== 'array') scalar.add(key);
    }
  }
  const shown = recordKeys(entries).filter((key) => scalar.size === 0 || scalar.has(key));
  if (shown.length === 0 || shown.length > maxKeyColumns)
    return [{ header: 'value', align: 'left', text: String }];
  return shown.map((key) => ({
    header: key,
    align: 'number',
    dropIfTitleBelow: 0,
    minWidth: 12,
    text: (entry) => asText(memberMap(entry).get(key) ?? null),
  }));
}

/** Specified members that are aligned right. */
const rightAligned: ReadonlySet<string> = new Set(['index', 'lengthText', 'viewCountText', 'viewCount']);

function fieldColumn(field: Field, operation: RecordShape): EntryColumn {
  const pick = picker([field], operation);
  return {
    header: field.name,
    align: rightAligned.has(field.name) ? 'right' : 'number',
    minWidth: 8,
    text: (entry, item) => asText(pick(entry, item)[0] ?? null),
  };
}

function referenceColumn(references: readonly string[]): EntryColumn {
  const longest = references.reduce((length, reference) => Math.max(length, reference.length), 16);
  return {
    header: '@reference',
    align: 'left',
    minWidth: 8,
    reservedWidth: Math.min(longest, 32),
    maxWidth: 40,
    text: (_entry, item) => item.reference ?? '',
  };
}
