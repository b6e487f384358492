import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

/**
 * What each folder of `src` may import, besides itself and the root files (`context`, `errors`, `version`). The
 * picture in CONTRIBUTING.md shows the same edges.
 */
const edges: Readonly<Record<string, readonly string[]>> = {
  text: [],
  json: ['text'],
  fs: ['text'],
  service: ['text', 'json', 'fs'],
  output: ['text', 'json', 'service', 'fs'],
  sandbox: ['text', 'service'],
  accounts: ['text', 'json', 'fs', 'service'],
  help: ['text', 'service', 'output', 'cli', 'accounts', 'export'],
  cli: ['text', 'fs', 'service', 'output', 'sandbox', 'help', 'accounts', 'run'],
  run: ['text', 'json', 'fs', 'service', 'output', 'sandbox', 'accounts', 'cli', 'help', 'export'],
  export: ['text', 'json', 'fs', 'service', 'output', 'accounts', 'cli', 'run'],
  commands: [
    'text',
    'json',
    'fs',
    'service',
    'output',
    'sandbox',
    'accounts',
    'cli',
    'help',
    'run',
    'export',
  ],
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly kind: 'type' | 'static' | 'late';
}

async function imports(): Promise<Import[]> {
  const names = (await readdir('src', { recursive: true })).filter((name) => name.endsWith('.ts'));
  const found = await Promise.all(
    names.map(async (from) => {
      const text = await readFile(join('src', from), 'utf8');
      const lines = text.matchAll(
        /(?:(import type|import|export)\b[^;'"]*?from '(\.[^']+)')|(?:import\('(\.[^']+)'\))/g,
      );
      return [...lines].map(([, word, target, late]): Import => {
        const kind = late !== undefined ? 'late' : word === 'import type' ? 'type' : 'static';
        return { from, to: join(dirname(from), target ?? late ?? ''), kind };
      });
    }),
  );
  return found.flat();
}

/** The folder of a file below `src`; '' for a file of the root. */
const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '');

test('every import follows an edge of the picture in CONTRIBUTING.md', async () => {
  const all = await imports();
  assert.ok(all.length > 300);
  const names = all.flatMap(({ from, to }) => [from, to]);
  const folders = new Set(names.map(folderOf).filter((folder) => folder !== ''));
  assert.deepEqual([...folders].sort(), Object.keys(edges).sort());
  const outside = all.filter(({ from, to, kind }) => {
    const [source, target] = [folderOf(from), folderOf(to)];
    // The table of commands, and the help, load a command's file when it is needed.
    if (target === 'commands' && source === 'cli') return kind !== 'late';
    if (source === '') return target === 'commands';
    if (target === '') return !/^(?:context|errors|version)\.ts$/.test(to);
    return source !== target && !edges[source]?.includes(target);
  });
  assert.deepEqual(
    outside.map(({ from, to }) => `${from} -> ${to}`),
    [],
  );
});

test('the picture in CONTRIBUTING.md shows these edges', async () => {
  const [, picture = ''] = /^```edges\n(.*?)^```$/ms.exec(await readFile('CONTRIBUTING.md', 'utf8')) ?? [];
  const shown = picture
    .trimEnd()
    .split('\n')
    .map((line) => line.split('->').map((words) => words.trim().split(/ +/).filter(Boolean)));
  assert.deepEqual(
    Object.fromEntries(shown.map(([[folder = ''] = [], targets = []]) => [folder, targets.sort()])),
    Object.fromEntries(Object.entries(edges).map(([folder, targets]) => [folder, [...targets].sort()])),
  );
});

test('no file imports itself, directly or through others', async () => {
  const next = new Map<string, string[]>();
  for (const { from, to, kind } of await imports())
    if (kind !== 'late') next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    assert.ok(!path.includes(file), [...path, file].join(' -> '));
    if (done.has(file)) return;
    for (const to of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
});
