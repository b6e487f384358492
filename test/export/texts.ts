import { JsonText } from '../../src/json/json-text.ts';
import { createFormat, type FileFormat } from '../../src/output/formats.ts';
import { operations } from '../../src/service/contract.ts';

/** The texts of an export: one per page, and one after the last page. */
export interface Texts {
  readonly pages: readonly string[];
  readonly tail: string;
}

/** What an export of these pages writes. */
export async function textsOf(format: FileFormat, pages: readonly (readonly string[])[]): Promise<Texts> {
  const item = { reference: '@a' };
  const printer = await createFormat(format, {
    operation: operations.uploads,
    fields: null,
    several: false,
    terminal: null,
  });
  const texts: string[] = [];
  let entries = 0;
  for (const page of pages) {
    const info = JsonText.of('{"title":"A","numVideos":"7"}');
    const opening = texts.length === 0 ? printer.head() + printer.open(item, info) : '';
    const separator = entries > 0 && page.length > 0 ? printer.separator : '';
    texts.push(opening + separator + printer.rows(item, page.map(JsonText.of)));
    entries += page.length;
  }
  return {
    pages: texts,
    tail: printer.close(item, { hasMore: false, token: null, failure: null }) + printer.tail(),
  };
}

/** A video entry with awkward text in it. */
export function entry(id: number, title = `say "hi",\nü 🎬 ${id}`): string {
  return JSON.stringify({
    videoId: `v${id}`,
    title,
    channelId: 'UCa',
    thumbnails: [{ url: 'u,"]}' }],
    index: `${id}`,
  });
}
