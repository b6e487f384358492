import type { ExportFile } from '../../src/export/inspect/inspect-export.ts';
import type { Contents } from '../../src/export/inspect/read-archive.ts';
import {
  type ExportRecord,
  type ExportRequest,
  type Finished,
  newProgress,
  newRecord,
  type Progress,
} from '../../src/export/record/export-record.ts';

export const hour = 60 * 60 * 1000;
export const day = 24 * hour;
export const now = Date.parse('2026-03-10T03:00:00Z');
export const timeAt = (ago: number): string => new Date(now - ago).toISOString();

/** All uploads of channel UCa as ndjson, but for what is facts. */
export const request = (facts: Partial<ExportRequest> = {}): ExportRequest => ({
  command: 'uploads',
  id: 'UCa',
  format: 'ndjson',
  fields: null,
  limit: null,
  service: 'http://localhost/media',
  ...facts,
});

/** A FILE of 250 entries, exported two days ago. */
export const finished = (facts: Partial<Finished> = {}): Finished => ({
  size: 1000,
  digest: 'digest',
  mtime: 0,
  inode: 1,
  entries: 250,
  exported: timeAt(2 * day),
  ...facts,
});

/** A run that was interrupted after its first page. */
export const progress = (facts: Partial<Progress> = {}): Progress =>
  newProgress(
    { request: request(), all: false, now: now - day },
    {
      kind: 'export',
      fileAtStart: null,
      rows,
      bytes: 400,
      entries: 100,
      pages: 1,
      token: 'next',
      total: 250,
      ...facts,
    },
  );

/** A name that chanlist gives to rows. */
export const rows = '0123456789abcdef0123.01234567.part';

export const record = (facts: Partial<ExportRecord> = {}): ExportRecord => ({
  ...newRecord('@a', request()),
  ...facts,
});

/** What was read from a FILE of 250 entries of channel UCa. */
export const contents = (facts: Partial<Contents> = {}): Contents => ({
  entries: 250,
  ids: new Set(['v1', 'v2']),
  duplicate: null,
  channels: new Set(['UCa']),
  published: new Map(),
  damage: null,
  badLines: 0,
  ...facts,
});

/** A run that no signal stops. */
export const { signal: stop } = new AbortController();

/** What is on disk: nothing, but for these facts; the interrupted run is that of the record. */
export const exportFile = (facts: Partial<ExportFile> = {}): ExportFile => ({
  target: { path: 'a.ndjson', real: '/a.ndjson', kind: 'file', stats: null, folder: null },
  record: null,
  unusable: null,
  stamp: '',
  state: 'none',
  entries: 0,
  contents: null,
  progress: facts.record?.progress ?? null,
  rowsDamage: null,
  rowIds: new Set(),
  olderIds: new Set(),
  isInPlace: false,
  hasUnrecordedRows: false,
  ...facts,
});
