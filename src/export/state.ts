import { Failure, usage } from '../errors.ts';
import {
  isCount,
  isFlag,
  isNumber,
  isObject,
  isOneOf,
  isText,
  listOf,
  type Members,
  mapOf,
  orNull,
  parseObject,
  shape,
} from '../json/shape.ts';
import { type Credits, noCredits } from '../service/budget.ts';
import { videoFields } from '../service/contract.ts';

/** Identifies an export; a run resumes only if all fields match. */
export interface Identity {
  /** Name of the operation. */
  readonly command: string;
  /** As it is sent; `--continuation TOKEN` if the export starts at a token. */
  readonly reference: string;
  /** Channel or playlist ID, once known: two references with one ID are the same. */
  readonly id: string | null;
  readonly format: string;
  /** `--fields`, comma separated; null: the format's default. */
  readonly fields: string | null;
  /** Address and namespace of the service. */
  readonly service: string;
}

/** Fingerprint of FILE: size, mtime, inode. */
export interface FileMark {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

export type ExportMode = 'export' | 'update';

/** The first line of `FILE.part.json`: what does not change while pages are added. */
export interface StateHeader {
  readonly version: 2;
  readonly mode: ExportMode;
  readonly identity: Identity;
  /** When the export started (ISO 8601). */
  readonly started: string;
  /** FILE as it was when the export started; null if there was none. */
  readonly base: FileMark | null;
  /** Inode of the file that holds the rows: it has the name FILE.part.tmp until it replaces FILE.part. */
  readonly inode: number;
  /** Publication dates by video ID, as `latest` gave them before the first page (`@published`). */
  readonly published: Readonly<Record<string, string>>;
  /** Concatenated 8-character digests of the tokens used before the log below was compacted. */
  readonly marks: string;
  /** Credits of all runs before this export; absent in states of earlier programs. */
  readonly creditsBefore?: Readonly<Credits>;
}

/** The progress of an export: each further line of `FILE.part.json`. The last complete line counts. */
export interface Progress {
  /** Committed bytes of the partial file; anything after them belongs to an interrupted page. */
  readonly bytes: number;
  readonly entries: number;
  readonly pages: number;
  /** Updates: the bytes and entries that go before those of FILE; the rest follows them. Null: all go before them. */
  readonly top: { readonly bytes: number; readonly entries: number } | null;
  /** Token of the next page; null: the first one. */
  readonly token: string | null;
  readonly hasMore: boolean;
  /** No more pages are wanted. */
  readonly done: boolean;
  /** Only a part of the last page is kept: the listing cannot be resumed after it. */
  readonly cut: boolean;
  /** numVideos, once known. */
  readonly total: number | null;
  /** Digest of the last page that had entries. */
  readonly lastPage: string | null;
  /** Video IDs of the last page: the next one may repeat them if the list moves. */
  readonly ids: readonly string[];
  /** Consecutive empty pages so far. */
  readonly emptyPages: number;
  /** Channel or playlist ID, once known. */
  readonly id: string | null;
  /** Of all runs of this export together. */
  readonly credits: Readonly<Credits>;
  /** Columns that the first page fixed (csv). */
  readonly columns: readonly string[] | null;
  /** Digest of the token that fetched the page; null: the first page. */
  readonly mark: string | null;
  /** The finished file, which only has to replace FILE; null while pages are missing. */
  readonly result: { readonly size: number; readonly digest: string | null } | null;
}

/** The progress of an export without pages. */
export const noProgress: Progress = {
  bytes: 0,
  entries: 0,
  pages: 0,
  top: null,
  token: null,
  hasMore: true,
  done: false,
  cut: false,
  total: null,
  lastPage: null,
  ids: [],
  emptyPages: 0,
  id: null,
  credits: noCredits(),
  columns: null,
  mark: null,
  result: null,
};

/** The content of `FILE.part.json`. */
export interface State {
  readonly header: StateHeader;
  readonly progress: Progress;
  /** Concatenated digests of all tokens used so far. */
  readonly marks: string;
  /** Version 0.1.0 wrote it. */
  readonly isVersion1: boolean;
}

/** The failure for a damaged interrupted export (1), with remedy `restart`. */
export function damaged(what: string): Failure {
  return new Failure('damaged', `${what}, so the interrupted export cannot be resumed`, {
    remedy: 'restart',
  });
}

/**
 * Parses the text of a `FILE.part.json` (version 2: a log of JSON lines; version 1: one document). An incomplete last
 * line is ignored. Throws `damaged`, or a usage error for a newer version; messages name `file`.
 */
export function parseState(text: string, file: string): State {
  const [first = '', ...lines] = text.split('\n');
  // Other versions may write one document, of any layout.
  const header = parseObject(text) ?? parseObject(first);
  if (isNumber(header?.version) && header.version > 2)
    throw new Failure('usage', `${file} was written by a newer version of chanlist`, {
      hint: 'it is left as it is; update chanlist',
      scope: 'reference',
    });
  if (header?.version === 1 && isVersion1(header)) return fromVersion1(header);
  if (!isHeader(header)) throw damaged(`${file} is damaged`);
  let progress: Progress | null = null;
  let marks = header.marks;
  for (const [i, line] of lines.slice(0, -1).entries()) {
    const next = parseObject(line);
    if (!isProgress(next)) {
      // A power cut may leave the end of the last line without its start. The first line was durable before its name.
      if (progress !== null && i === lines.length - 2) break;
      throw damaged(`${file} is damaged`);
    }
    progress = next;
    marks += next.result === null ? (next.mark ?? '') : '';
  }
  if (progress === null) throw damaged(`${file} is damaged`);
  return { header, progress, marks, isVersion1: false };
}

const isMode = isOneOf('export', 'update');
const isToken = orNull((value) => isText(value) && value.isWellFormed());
export const isCredits = shape<Credits>({ confirmed: isCount, possibly_charged: isCount });
const isMark = orNull(shape<FileMark>({ size: isNumber, mtimeMs: isNumber, ino: isNumber }));
const isIdentity = shape<Omit<Identity, 'id'>>({
  ...{ command: isText, reference: isText, format: isText, service: isText },
  fields: orNull(isText),
});

const isHeader = shape<StateHeader>({
  version: isOneOf(2),
  mode: isMode,
  identity: isIdentity,
  started: isText,
  base: isMark,
  inode: isNumber,
  published: mapOf(isText),
  marks: isText,
  creditsBefore: (value) => value === undefined || isCredits(value),
});

const isProgress = shape<Progress>({
  bytes: isCount,
  entries: isCount,
  pages: isCount,
  top: orNull(shape({ bytes: isCount, entries: isCount })),
  token: isToken,
  hasMore: isFlag,
  done: isFlag,
  cut: isFlag,
  total: orNull(isCount),
  lastPage: orNull(isText),
  ids: listOf(isText),
  emptyPages: isCount,
  id: orNull(isText),
  credits: isCredits,
  columns: orNull(listOf(isText)),
  mark: orNull(isText),
  result: orNull(shape({ size: isCount, digest: orNull(isText) })),
});

/** The state that version 0.1.0 writes. */
interface Version1 {
  readonly mode: ExportMode;
  readonly identity: Omit<Identity, 'id'>;
  readonly started: string;
  readonly bytes: number;
  readonly entries: number;
  readonly pages: number;
  readonly token: string | null;
  readonly lastPage: string | null;
  readonly id: string | null;
  readonly base: FileMark | null;
  readonly done: boolean;
  readonly credits: Credits;
  readonly extra: Members;
}

const isVersion1 = shape<Version1>({
  mode: isMode,
  identity: isIdentity,
  started: isText,
  bytes: isCount,
  entries: isCount,
  pages: isCount,
  token: isToken,
  lastPage: orNull(isText),
  id: orNull(isText),
  base: isMark,
  done: isFlag,
  credits: isCredits,
  extra: isObject,
});

function fromVersion1(state: Version1): State {
  const { hasMore, done, total, cut, last, empty, sent } = state.extra;
  const header: StateHeader = {
    version: 2,
    mode: state.mode,
    identity: { ...state.identity, id: state.id },
    started: state.started,
    base: state.base,
    inode: 0,
    published: {},
    marks: isText(sent) ? sent : '',
  };
  const progress: Progress = {
    ...noProgress,
    bytes: state.bytes,
    entries: state.entries,
    pages: state.pages,
    token: state.token,
    hasMore: hasMore !== false,
    done: done === true || state.done,
    cut: cut === true,
    total: isCount(total) ? total : null,
    lastPage: state.lastPage,
    ids: isText(last) ? [last] : [],
    emptyPages: isCount(empty) ? empty : 0,
    id: state.id,
    credits: state.credits,
    // Without --fields, a CSV file of version 0.1.0 has the specified fields.
    columns:
      state.pages > 0 && state.identity.format === 'csv' && state.identity.fields === null
        ? videoFields
        : null,
    result: state.done ? { size: state.bytes, digest: null } : null,
  };
  return { header, progress, marks: header.marks, isVersion1: true };
}

/** Whether an export starts at a token: its ID does not say which pages it has. */
export const startsAtToken = ({ reference }: Identity): boolean => reference.startsWith('--continuation ');

/** Maximum length of a reference in messages: a continuation token may have any length. */
const maxShownReference = 200;

/**
 * Throws a usage error if the arguments of this run differ from those of an interrupted export; it says how. `file`:
 * the target of the export.
 */
export function checkIdentity(state: State, mode: ExportMode, now: Identity, file: string): void {
  const { identity, mode: before } = state.header;
  const id = state.progress.id ?? identity.id;
  const isWhole = !startsAtToken(identity) && !startsAtToken(now);
  const sameReference = identity.reference === now.reference || (isWhole && id !== null && id === now.id);
  const fields = ({ fields }: Identity): string =>
    fields === null ? 'without --fields' : `with --fields ${fields}`;
  const shown = ({ reference }: Identity): string =>
    reference.length > maxShownReference ? `${reference.slice(0, maxShownReference)}…` : reference;
  const rows = [
    ['by ', identity.command, now.command],
    ['of ', sameReference ? '' : shown(identity), sameReference ? '' : shown(now)],
    ['as ', identity.format, now.format],
    ['', fields(identity), fields(now)],
    ['from ', identity.service, now.service],
    ['', before === 'update' ? 'with --update' : '', mode === 'update' ? 'with --update' : ''],
  ] as const;
  const differences = rows
    .filter(([, was, is]) => was !== is)
    .map(([word, was, is]) =>
      [was && `${word}${was}`, is && `not ${was ? '' : word}${is}`].filter(Boolean).join(', '),
    );
  if (differences.length === 0) return;
  throw usage(
    `${file}: the interrupted export differs: ${differences.join('; ')}`,
    'resume it with its own arguments, or export again with --restart',
  );
}
