import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { codeBlocks } from './support/documents.ts';

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Every import of `src`, types and late ones included; paths are relative to `src`. */
async function imports(): Promise<Import[]> {
  const names = (await readdir('src', { recursive: true })).filter((name) => name.endsWith('.ts'));
  const found = await Promise.all(
    names.map(async (from) => {
      const text = await readFile(join('src', from), 'utf8');
      const lines = text.matchAll(/(?:\bfrom '(\.[^']+)')|(?:\bimport\('(\.[^']+)'\))/g);
      return [...lines].map(([, early, late]) => ({ from, to: join(dirname(from), early ?? late ?? '') }));
    }),
  );
  return found.flat();
}

/** The folder of a file below `src`; '' for a file of the root. */
const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '');

/** The place of each folder in the line of CONTRIBUTING.md. */
async function placeOfFolders(): Promise<ReadonlyMap<string, number>> {
  const block = (await codeBlocks('CONTRIBUTING.md')).find(({ language }) => language === 'order');
  const places = (block?.lines.join(' ') ?? '')
    .split('<')
    .map((names) => names.split(',').map((name) => name.trim()));
  return new Map(places.flatMap((names, place) => names.map((name) => [name, place] as const)));
}

test('folders import one way, as CONTRIBUTING.md says', async () => {
  const [all, places] = [await imports(), await placeOfFolders()];
  assert.ok(all.length > 200);
  const folders = new Set(all.flatMap(({ from, to }) => [folderOf(from), folderOf(to)]));
  assert.deepEqual([...folders].filter((folder) => folder !== '').sort(), [...places.keys()].sort());
  const wrong = all.filter(({ from, to }) => {
    const [source, target] = [folderOf(from), folderOf(to)];
    if (target === '') return source !== '' && !/^(?:context|errors|version)\.ts$/.test(to);
    if (source === '') return target !== 'text' && /^(?:context|errors|version)\.ts$/.test(from);
    return source !== target && (places.get(target) ?? 0) >= (places.get(source) ?? 0);
  });
  assert.deepEqual(
    wrong.map(({ from, to }) => `${from} -> ${to}`),
    [],
  );
});

test('no file imports itself, directly or through others', async () => {
  const next = new Map<string, string[]>();
  for (const { from, to } of await imports()) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    assert.ok(!path.includes(file), [...path, file].join(' -> '));
    if (done.has(file)) return;
    for (const to of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
});
