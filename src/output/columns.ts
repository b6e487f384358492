import type { OperationName } from '../api/contract.ts';
import type { JsonText } from '../json/json-text.ts';
import { asText, type Field, pick } from './fields.ts';
import type { FormatOptions } from './format.ts';
import type { Item } from './item.ts';
import type { Wish } from './layout.ts';
import { memberMap, recordKeys } from './records.ts';

/** A column of a table of entries. */
export interface EntryColumn extends Pick<Wish, 'leaves' | 'flexible'> {
  /** Not made narrower than this, or its content, while there is another way. */
  readonly least?: number;
  readonly header: string;
  /** `number`: right, where all its values on the first page are numbers. */
  readonly align: 'left' | 'right' | 'number';
  /** Later entries may be so wide, whatever the first page shows. */
  readonly reserve?: number;
  /** Cells that are wider are cut, even where there is room. */
  readonly most?: number;
  readonly text: (entry: JsonText, item: Item) => string;
}

/** The columns of a table: `--fields`, or the ones that matter for the operation; `entries`: of the first page. */
export function entryColumns(options: FormatOptions, entries: readonly JsonText[]): EntryColumn[] {
  if (options.fields !== null) return options.fields.map(fieldColumn);
  const columns = operationColumns(options, entries);
  if (!options.several) return columns;
  return [referenceColumn(options.references ?? []), ...columns];
}

function operationColumns(options: FormatOptions, entries: readonly JsonText[]): EntryColumn[] {
  const columns = known(options.operation.name, options.terminal !== null);
  switch (options.operation.name) {
    case 'resolve':
      return options.several ? columns.slice(0, 1) : columns;
    case 'search':
    case 'latest':
      return observed(columns, entries);
    case 'uploads':
      return columns.filter(({ header }) => header !== 'channel');
    case 'playlist':
      return columns;
  }
}

/** A column of the first of these members that an entry has. */
function column(header: string, members: readonly string[], rest: Partial<EntryColumn>): MemberColumn {
  const text = (entry: JsonText): string => {
    for (const member of members) {
      const value = entry.get(member);
      if (value !== undefined) return value.plain();
    }
    return '';
  };
  return { header, align: 'left', text, ...rest, members };
}

interface MemberColumn extends EntryColumn {
  readonly members: readonly string[];
}

/** Members of unknown records that still make a table; records of more are shown as they are. */
const mostColumns = 100;

/** The day of an ISO 8601 date. */
const day = (text: string): string => (/^\d{4}-\d\d-\d\dT/.test(text) ? text.slice(0, 10) : text);

/** Columns of each operation. The title comes last: what terminals disagree about then moves nothing else. */
function known(operation: OperationName, terminal: boolean): MemberColumn[] {
  const index = column('#', ['index'], { align: 'right', leaves: 16, reserve: 3 });
  const videoId = column('videoId', ['videoId'], { leaves: 6, reserve: 11, most: 24 });
  const length = column('length', ['lengthText'], { align: 'right', leaves: 15, reserve: 7, most: 12 });
  const views = column('views', ['viewCountText', 'viewCount'], { align: 'right', leaves: 20, most: 28 });
  const channel = column('channel', ['channelTitle'], { leaves: 40, most: 24 });
  const title = column('title', ['title'], { flexible: true, least: 6 });
  const dated = (members: readonly string[]): MemberColumn => {
    const published = column('published', members, { leaves: 18, most: 20 });
    return terminal ? { ...published, text: (entry, item) => day(published.text(entry, item)) } : published;
  };
  switch (operation) {
    case 'resolve':
      return [
        column('channel_id', ['channel_id'], { reserve: 24 }),
        column('resolved_from', ['resolved_from'], { leaves: 0, least: 8 }),
      ];
    case 'search':
      return [videoId, length, views, dated(['publishedTimeText', 'published']), title];
    case 'latest':
      return [
        dated(['published', 'publishedTimeText']),
        videoId,
        length,
        column('views', ['viewCount', 'viewCountText'], { align: 'right', leaves: 20, most: 28 }),
        title,
      ];
    case 'uploads':
    case 'playlist':
      return [index, videoId, length, views, channel, title];
  }
}

/** The known columns that entries of an unspecified shape have; without ID and title, whatever they do have. */
function observed(columns: readonly MemberColumn[], entries: readonly JsonText[]): EntryColumn[] {
  const keys = new Set(recordKeys(entries));
  const essential = ['videoId', 'title'];
  if (entries.length === 0) return [...columns];
  if (essential.every((key) => keys.has(key))) {
    return columns.filter(({ members }) => members.some((member) => keys.has(member)));
  }
  const scalar = new Set<string>();
  for (const entry of entries) {
    for (const [key, value] of memberMap(entry)) {
      if (value.kind !== 'object' && value.kind !== 'array') scalar.add(key);
    }
  }
  const shown = [...keys].filter((key) => scalar.size === 0 || scalar.has(key));
  if (shown.length === 0 || shown.length > mostColumns)
    return [{ header: 'value', align: 'left', text: String }];
  return shown.map((key) => ({
    header: key,
    align: 'number',
    leaves: 0,
    least: 12,
    text: (entry) => asText(memberMap(entry).get(key) ?? null),
  }));
}

/** Specified members whose values are drawn at the right. */
const rightAligned: ReadonlySet<string> = new Set(['index', 'lengthText', 'viewCountText', 'viewCount']);

function fieldColumn(field: Field): EntryColumn {
  return {
    header: field.name,
    align: rightAligned.has(field.name) ? 'right' : 'number',
    least: 8,
    text: (entry, item) => asText(pick(field, entry, item)),
  };
}

function referenceColumn(references: readonly string[]): EntryColumn {
  const longest = references.reduce((most, reference) => Math.max(most, reference.length), 16);
  return {
    header: '@reference',
    align: 'left',
    least: 8,
    reserve: Math.min(longest, 32),
    most: 40,
    text: (_entry, item) => item.reference ?? '',
  };
}
