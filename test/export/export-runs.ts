import { type OpenOptions, PartialFile, type ReplacedFile } from '../../src/export/partial-file.ts';
import type { Identity } from '../../src/export/state.ts';
import type { FileOps } from '../../src/fs/file-ops.ts';
import type { Target } from '../../src/fs/target.ts';

/** FILE, which its group may write: the files of the program's own may not be like that. */
export const target: Target = { path: 'out', real: '/d/out', mode: 0o664, exists: true, kind: 'file' };

export const identity: Identity = {
  command: 'uploads',
  reference: '@a',
  id: null,
  format: 'ndjson',
  fields: null,
  service: 'https://x.example media',
};

export interface PageRows {
  readonly above: readonly string[];
  readonly below?: readonly string[];
}

/** An export, or an update, and all that it writes. */
export interface ExportScript {
  /** Before the rows, between them, and after them. */
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
  readonly pages: readonly PageRows[];
  /** The rows of FILE that an update keeps; null: an export. */
  readonly old: readonly string[] | null;
}

/** The FILE that a script writes if nothing interrupts it. */
export function wholeFile({ head, separator, tail, pages, old }: ExportScript): string {
  const rows = [
    ...pages.flatMap((page) => page.above),
    ...(old ?? []),
    ...pages.flatMap((page) => page.below ?? []),
  ];
  return head + rows.join(separator) + tail;
}

export interface RunOptions extends Partial<OpenOptions> {
  readonly ops: FileOps;
  /** The export to run, by the time when it started (ms). */
  readonly scripts: ReadonlyMap<number, ExportScript>;
  /** Called before each page is appended, with its number and when its export started. */
  readonly buy?: (page: number, started: number) => void;
  /** Called with the number of each page that is durable. */
  readonly durable?: (page: number, started: number) => void;
  /** Called with the new rows before an update replaces FILE. */
  readonly print?: (text: string) => void;
}

/** Runs an export, or resumes one, as a process does; returns what a finished one has left to report. */
export async function runExport(options: RunOptions): Promise<ReplacedFile> {
  const { scripts, buy, durable, print, restart = false, digest = true, now = 0 } = options;
  const mode = [...scripts.values()][0]?.old == null ? 'export' : 'update';
  const file = await PartialFile.open(target, identity, { ...options, mode, restart, digest, now });
  try {
    if (file.finished !== null) return file.finished;
    const started = Date.parse(file.header.started);
    const script = scripts.get(started);
    if (script === undefined) throw new Error(`no export started at ${started}`);
    const { head, separator, tail, pages, old } = script;
    for (let page = file.progress.pages; page < pages.length; page++) {
      buy?.(page, started);
      const { above = [], below = [] } = pages[page] ?? {};
      let { top, entries, bytes } = file.progress;
      const [hasAbove, hasBelow] = [(top?.entries ?? entries) > 0, top !== null && entries > top.entries];
      const upper = (page === 0 ? head : '') + joined(above, separator, hasAbove);
      entries += above.length;
      if (below.length > 0) top ??= { bytes: bytes + Buffer.byteLength(upper), entries };
      entries += below.length;
      bytes += Buffer.byteLength(upper);
      await file.append(upper + joined(below, separator, hasBelow), {
        pages: page + 1,
        entries,
        top,
        token: `token ${page + 1}`,
        mark: page === 0 ? null : `mark-${page}--`,
      });
      durable?.(page, started);
    }
    return await finish();

    async function finish(): Promise<ReplacedFile> {
      if (old === null) return await file.finish(tail);
      const rows = { entries: old.length, rows: () => each([old.join(separator)]) };
      let text = '';
      for await (const piece of file.newRows()) text += piece;
      print?.(text);
      return await file.finishUpdate(rows, separator, tail);
    }
  } finally {
    await file.close();
  }
}

const joined = (rows: readonly string[], separator: string, isAfter: boolean): string =>
  (isAfter && rows.length > 0 ? separator : '') + rows.join(separator);

/** Old rows, one per batch. */
export async function* each(texts: readonly string[]): AsyncGenerator<string[], void> {
  for (const text of texts) yield [text];
}
