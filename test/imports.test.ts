import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

/** Folders and files of `src`, by the line of the picture in CONTRIBUTING.md, from below. */
const ranks: readonly (readonly string[])[] = [
  ['errors.ts', 'version.ts', 'context.ts'],
  ['text/', 'files/'],
  ['service/'],
  ['output/', 'sandbox/'],
  ['accounts/', 'cli/'],
  ['help/'],
  ['call/'],
  ['bodies/', 'listing/'],
  ['export/'],
  ['run-listing.ts'],
  ['commands/'],
  ['command-table.ts', 'program.ts'],
  ['manual/', 'main.ts'],
  ['start.ts'],
  ['code-cache.ts', 'launch.ts'],
];

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

const rankOf = (path: string): number =>
  ranks.findIndex((names) =>
    names.some((name) => (name.endsWith('/') ? path.startsWith(name) : path === name)),
  );

test('every file of src stands somewhere in the picture of CONTRIBUTING.md, and imports downwards', async () => {
  const all = await imports();
  assert.ok(all.length > 500);
  const files = new Set(all.flatMap(({ from, to }) => [from, to]).filter((path) => !path.endsWith('.d.ts')));
  assert.deepEqual(
    [...files].filter((path) => rankOf(path) < 0),
    [],
  );
  // The table knows the commands, the help looks up at the whole tree: both only when they are asked for.
  const upwards = all.filter(({ from, to }) => rankOf(to) > rankOf(from));
  assert.deepEqual(
    upwards.map(({ from, to, kind }) => `${from} -> ${to}, ${kind}`),
    ['commands/help.ts -> manual/help-text.ts, late'],
  );
  const ofCommands = all.filter(
    ({ from, to }) => to.startsWith('commands/') && !from.startsWith('commands/'),
  );
  assert.deepEqual(
    [...new Set(ofCommands.map(({ from, kind }) => `${from}, ${kind}`))],
    ['command-table.ts, late'],
  );
});

test('no file imports itself, whatever way round', async () => {
  const next = new Map<string, string[]>();
  for (const { from, to, kind } of await imports())
    if (kind !== 'late') next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    assert.ok(!way.includes(file), [...way, file].join(' -> '));
    if (done.has(file)) return;
    for (const to of next.get(file) ?? []) visit(to, [...way, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
});
