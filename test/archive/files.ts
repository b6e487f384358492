import type { ExportRequest, PagesHeader } from '../../src/archive/pages-format.ts';
import { type ArchiveRecord, noChecks } from '../../src/archive/record.ts';

export const hour = 60 * 60 * 1000;
export const day = 24 * hour;
export const now = Date.parse('2026-03-10T03:00:00Z');
export const timeAt = (ago: number): string => new Date(now - ago).toISOString();

/** All uploads of channel UCa as ndjson, but for these facts. */
export const request = (facts: Partial<ExportRequest> = {}): ExportRequest => ({
  id: 'UCa',
  format: 'ndjson',
  fields: null,
  limit: null,
  service: 'http://localhost/media',
  ...facts,
});

/** The first line of an export that began a day ago. */
export const header = (facts: Partial<PagesHeader> = {}): Omit<PagesHeader, 'version'> => ({
  request: request(),
  reference: '@a',
  started: timeAt(day),
  foundFile: false,
  update: null,
  ...facts,
});

/** The record of an archive of two entries. */
export const record = (facts: Partial<ArchiveRecord> = {}): ArchiveRecord => ({
  ...{
    reference: '@a',
    aliases: [],
    id: 'UCa',
    service: 'http://localhost/media',
    size: 1000,
    mtime: 1.5,
    checksum: 7,
    entries: 2,
    whole: null,
    checks: noChecks,
  },
  ...facts,
});

/** A run that no signal stops. */
export const { signal: stop } = new AbortController();
