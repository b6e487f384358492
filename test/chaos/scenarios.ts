import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestSandbox } from '../support/test-sandbox.ts';

export const fileFormats = ['ndjson', 'csv', 'json', 'id'] as const;
export const pageSize = 5;

/** An export to interrupt. */
export interface Scenario {
  readonly name: string;
  /** The command; it is run in a folder of its own. */
  readonly args: readonly string[];
  /** Credits that it costs without interruption. */
  readonly credits: number;
  /** Concurrent requests. */
  readonly concurrency: number;
  /** Sets the channels back, and the folder to what is there before. */
  prepare(sandbox: TestSandbox, folder: string, run: Run): Promise<void>;
}

/** Runs the program in a folder to its end, undisturbed. */
export type Run = (args: readonly string[], folder: string) => Promise<void>;

/** Pages of a full list of so many uploads. */
const pagesOf = (count: number): number => Math.max(1, Math.ceil(count / pageSize));

export interface Sizes {
  /** Uploads of an export. */
  readonly whole: number;
  /** New uploads of an update. */
  readonly added: number;
  /** Uploads of each of the three lists in a folder. */
  readonly lists: readonly [number, number, number];
}

/** Exports and updates in all formats, and folders of several lists. */
export function scenarios({ whole, added, lists }: Sizes): Scenario[] {
  const handle = '@size-7';
  const handles = ['@size-11', '@size-12', '@size-13'];
  const setLists = (sandbox: TestSandbox, more = 0): void => {
    for (const [at, name] of handles.entries()) sandbox.setUploads(name, (lists[at] ?? 0) + more);
  };
  const folderArgs = ['uploads', ...handles, '--output-dir', 'out', '--concurrency', '2'];
  const updateCredits = Math.ceil((added + 1) / pageSize);
  return [
    ...fileFormats.map((format) => ({
      name: `export, ${format}`,
      args: ['uploads', handle, '-o', `list.${format}`, '-f', format],
      credits: pagesOf(whole),
      concurrency: 1,
      prepare: async (sandbox: TestSandbox, folder: string) => {
        sandbox.setUploads(handle, whole);
        await writeFile(join(folder, `list.${format}`), '');
      },
    })),
    ...fileFormats.map((format) => ({
      name: `update, ${format}`,
      args: ['uploads', handle, '-o', `list.${format}`, '-f', format, '--update'],
      credits: updateCredits,
      concurrency: 1,
      prepare: async (sandbox: TestSandbox, folder: string, run: Run) => {
        sandbox.setUploads(handle, 21);
        await run(['uploads', handle, '-o', `list.${format}`, '-f', format], folder);
        sandbox.setUploads(handle, 21 + added);
      },
    })),
    {
      name: 'folder',
      args: [...folderArgs, '-f', 'csv'],
      credits: lists.map(pagesOf).reduce((a, b) => a + b),
      concurrency: 2,
      prepare: async (sandbox, folder) => {
        setLists(sandbox);
        await mkdir(join(folder, 'out'));
      },
    },
    {
      name: 'folder, update',
      args: [...folderArgs, '--update'],
      credits: handles.length * updateCredits,
      concurrency: 2,
      prepare: async (sandbox, folder, run) => {
        setLists(sandbox);
        await run(folderArgs, folder);
        setLists(sandbox, added);
      },
    },
  ];
}

/** Everything below a folder: names and, of files, contents, except those of memories, which hold times; sorted. */
export async function contents(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const each of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(each.parentPath, each.name);
    found.set(
      path.slice(folder.length + 1),
      each.isFile() && !path.includes('/.chanlist/')
        ? await readFile(path, 'utf8')
        : each.isDirectory() || each.isFile()
          ? ''
          : '-',
    );
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
