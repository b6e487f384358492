import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileFormats } from '../support/file-formats.ts';
import type { TestSandbox } from '../support/test-sandbox.ts';

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
  /** The command would start over once this file is the new one. */
  readonly until?: string;
  /** Sets the channels back, and the folder to what is there before. */
  prepare(sandbox: TestSandbox, folder: string, run: Run): Promise<void>;
}

/** Runs the program to its end, undisturbed, two days ago. */
export type Run = (args: readonly string[]) => Promise<void>;

/** A number of uploads, and what listing them costs at five entries per page. */
export interface Size {
  readonly uploads: number;
  readonly credits: number;
}

const size = (uploads: number, credits: number): Size => ({ uploads, credits });

/** Sizes to choose from: exports, new uploads of an update, and lists of a folder. */
export const sizes = {
  whole: [size(20, 4), size(21, 5), size(33, 7), size(40, 8), size(52, 11), size(59, 12)],
  added: [size(15, 4), size(19, 4), size(20, 5), size(27, 6), size(35, 8), size(44, 9)],
  list: [size(1, 1), size(4, 1), size(5, 1), size(6, 2), size(13, 3), size(20, 4), size(30, 6)],
} as const;

export interface Sizes {
  /** Uploads of an export. */
  readonly whole: Size;
  /** New uploads of an update. */
  readonly added: Size;
  /** Uploads of each of the three lists in a folder. */
  readonly lists: readonly [Size, Size, Size];
}

/** Exports in all formats, updates, restarts, and folders of several lists. */
export function scenarios({ whole, added, lists }: Sizes): Scenario[] {
  const handle = '@size-7';
  const handles = ['@size-11', '@size-12', '@size-13'];
  const setLists = (sandbox: TestSandbox, more = 0): void => {
    for (const [at, name] of handles.entries()) sandbox.setUploads(name, (lists[at]?.uploads ?? 0) + more);
  };
  const folderArgs = ['uploads', ...handles, '--output-dir', 'out', '--concurrency', '2'];
  return [
    ...fileFormats.map((format) => ({
      name: `export, ${format}`,
      args: ['uploads', handle, '-o', `list.${format}`, '-f', format],
      credits: whole.credits,
      concurrency: 1,
      prepare: async (sandbox: TestSandbox, folder: string) => {
        sandbox.setUploads(handle, whole.uploads);
        await writeFile(join(folder, `list.${format}`), '');
      },
    })),
    ...([[], ['--all']] as const).map((all) => ({
      name: ['update', ...all].join(' '),
      args: ['uploads', handle, '-o', 'list.ndjson', '--update', ...all],
      credits: all.length === 0 ? added.credits : Math.ceil((21 + added.uploads) / pageSize),
      concurrency: 1,
      ...(all.length > 0 && { until: 'list.ndjson' }),
      prepare: async (sandbox: TestSandbox, _: string, run: Run) => {
        sandbox.setUploads(handle, 21);
        await run(['uploads', handle, '-o', 'list.ndjson']);
        sandbox.setUploads(handle, 21 + added.uploads);
      },
    })),
    {
      name: 'restart',
      args: ['uploads', handle, '-o', 'list.csv', '--restart'],
      credits: whole.credits,
      concurrency: 1,
      until: 'list.csv',
      prepare: async (sandbox, _, run) => {
        sandbox.setUploads(handle, 22);
        await run(['uploads', handle, '-o', 'list.csv']);
        sandbox.setUploads(handle, whole.uploads);
      },
    },
    {
      name: 'folder, restart',
      args: [...folderArgs, '--restart'],
      credits: lists.reduce((sum, { credits }) => sum + credits, 0),
      concurrency: 2,
      prepare: async (sandbox, _, run) => {
        for (const name of handles) sandbox.setUploads(name, 7);
        await run(folderArgs);
        setLists(sandbox);
      },
    },
    {
      name: 'folder',
      args: folderArgs,
      credits: lists.reduce((sum, { credits }) => sum + credits, 0),
      concurrency: 2,
      prepare: async (sandbox, folder) => {
        setLists(sandbox);
        await mkdir(join(folder, 'out'));
      },
    },
    {
      name: 'folder, update',
      args: [...folderArgs, '--update'],
      credits: handles.length * added.credits,
      concurrency: 2,
      prepare: async (sandbox, _, run) => {
        setLists(sandbox);
        await run(folderArgs);
        setLists(sandbox, added.uploads);
      },
    },
  ];
}

/** Everything below a folder but `.chanlist`: names and, of files, contents; sorted. */
export async function contents(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const each of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(each.parentPath, each.name);
    if (path.includes('/.chanlist')) continue;
    found.set(path.slice(folder.length + 1), each.isFile() ? await readFile(path, 'utf8') : '');
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Rows of interrupted runs in a folder. */
export async function rowsLeft(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.includes('.chanlist/') && name.endsWith('.part'));
}
