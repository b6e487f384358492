import { operations } from '../../src/api/contract.ts';
import { PartialFile } from '../../src/export/partial-file.ts';
import type { FileFormat } from '../../src/export/read/read-file.ts';
import type { Identity } from '../../src/export/state.ts';
import type { FileOps } from '../../src/fs/file-ops.ts';
import type { Target } from '../../src/fs/target.ts';
import { JsonText } from '../../src/json/json-text.ts';
import { createFormat } from '../../src/output/formats.ts';

export const fileFormats = ['ndjson', 'json', 'csv', 'id'] as const satisfies readonly FileFormat[];

export const target: Target = { path: 'out', real: '/d/out', mode: 0o440, exists: true, kind: 'file' };

export function identity(format: string): Identity {
  return { command: 'uploads', reference: '@a', format, fields: null, service: 'https://x.example media' };
}

/** The texts of an export: of each page, and behind the last. */
export interface Texts {
  readonly pages: readonly string[];
  readonly tail: string;
}

/** What an export of these pages writes. */
export async function textsOf(format: FileFormat, pages: readonly (readonly string[])[]): Promise<Texts> {
  const item = { reference: '@a', position: 0 };
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

/** Runs an export as a process does; `paid` is called for each page. */
export async function writePages(
  ops: FileOps,
  texts: Texts,
  format: string,
  paid: () => void,
  old: readonly string[] | null = null,
): Promise<void> {
  const file = await PartialFile.open(target, identity(format), {
    restart: false,
    mode: old === null ? 'export' : 'update',
    now: 0,
    ops,
  });
  try {
    if (file.alreadyDone) return;
    for (let page = file.state.pages; page < texts.pages.length; page++) {
      paid();
      await file.append(texts.pages[page] ?? '', { pages: page + 1, entries: page, token: `t${page + 1}` });
    }
    if (old === null) await file.finish(texts.tail);
    else await file.finishWith(each(old), texts.tail);
  } finally {
    await file.close();
  }
}

async function* each(texts: readonly string[]): AsyncGenerator<string, void> {
  yield* texts;
}
