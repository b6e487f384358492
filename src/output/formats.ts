import type { Format, FormatName, FormatOptions } from './format.ts';

/** The format of that name; loads only its own file. */
export async function createFormat(name: FormatName, options: FormatOptions): Promise<Format> {
  switch (name) {
    case 'ndjson':
      return (await import('./ndjson.ts')).ndjsonFormat(options);
    case 'json':
      return (await import('./json.ts')).jsonFormat(options);
    case 'csv':
      return (await import('./csv.ts')).csvFormat(options);
    case 'id':
      return (await import('./id.ts')).idFormat(options);
    case 'table':
      return (await import('./table.ts')).tableFormat(options);
  }
}
