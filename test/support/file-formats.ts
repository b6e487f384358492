import type { FileFormat } from '../../src/output/formats.ts';

/** The formats of exports. */
export const fileFormats = ['ndjson', 'csv', 'json', 'id'] as const satisfies readonly FileFormat[];
