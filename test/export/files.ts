import type { ExportFile } from '../../src/export/inspect.ts';
import type { Contents } from '../../src/export/read.ts';
import {
  type ExportRecord,
  type ExportRequest,
  type Finished,
  newProgress,
  newRecord,
  type Progress,
} from '../../src/export/record.ts';

export const hour = 60 * 60 * 1000;
export const day = 24 * hour;
export const now = Date.parse('2026-03-10T03:00:00Z');
export const timeAt = (ago: number): string => new Date(now - ago).toISOString();

/** All uploads of channel UCa as ndjson, but for what is given. */
export const request = (given: Partial<ExportRequest> = {}): ExportRequest => ({
  command: 'uploads',
  id: 'UCa',
  format: 'ndjson',
  fields: null,
  limit: null,
  service: 'http://localhost/media',
  ...given,
});

/** A FILE of 250 entries, exported two days ago. */
export const finished = (given: Partial<Finished> = {}): Finished => ({
  size: 1000,
  digest: 'digest',
  mtime: 0,
  inode: 1,
  entries: 250,
  isCut: false,
  pageSize: 100,
  exported: timeAt(2 * day),
  ...given,
});

/** A run that was interrupted after its first page. */
export const progress = (given: Partial<Progress> = {}): Progress =>
  newProgress(
    { request: request(), restart: false, all: false, now: now - day },
    { rows: 'a.part', bytes: 400, entries: 100, pages: 1, token: 'next', total: 250, ...given },
  );

export const record = (given: Partial<ExportRecord> = {}): ExportRecord => ({
  ...newRecord('@a', request()),
  ...given,
});

/** What was read from a FILE of 250 entries of channel UCa. */
export const contents = (given: Partial<Contents> = {}): Contents => ({
  entries: 250,
  ids: new Set(['v1', 'v2']),
  duplicate: null,
  channels: new Set(['UCa']),
  published: new Map(),
  columns: null,
  header: 0,
  damage: null,
  ...given,
});

/** A run that no signal stops. */
export const { signal: stop } = new AbortController();

/** What is on disk: nothing, but for what is given. */
export const exportFile = (given: Partial<ExportFile> = {}): ExportFile => ({
  target: { path: 'a.ndjson', real: '/a.ndjson', kind: 'file', stats: null },
  record: null,
  isRecordDamaged: false,
  stamp: '',
  state: 'none',
  entries: 0,
  contents: null,
  finished: null,
  pending: null,
  ...given,
});
