/**
 * Builds the program: `node scripts/build.mjs [folder]` (default: dist). CommonJS files: `launch.cjs`, which is
 * started, `core.cjs` with what the common calls need, a chunk for each part that is loaded late.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { mergeStartupChunks, reachedFrom } from './merge-startup-chunks.mjs';
import { parserFiles, stubUnusedModules } from './stub-unused-modules.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const out = resolve(process.argv[2] ?? join(root, 'dist'));
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const target = 'node20.18';

/** The merged files: each contains what its sources import statically, unless one before it does */
const groups = {
  'core.cjs': ['src/start.ts', 'src/commands/operations.ts'],
  'request.cjs': ['src/commands/run-operation.ts', 'src/run/print-responses.ts', 'src/output/json.ts'],
  'http.cjs': ['src/service/dispatcher.ts'],
  'list.cjs': ['src/run/print-listings.ts', 'src/accounts/ledger.ts'],
  'export.cjs': ['src/export/export-all.ts', 'src/export/exports.ts'],
  'table.cjs': ['src/output/table.ts'],
};

const settings = {
  absWorkingDir: root,
  outdir: out,
  bundle: true,
  platform: 'node',
  target,
  define: { CHANLIST_VERSION: JSON.stringify(version) },
  legalComments: 'none',
  write: false,
};
const bundle = await build({
  ...settings,
  entryPoints: { start: 'src/start.ts' },
  chunkNames: '[name]-[hash]',
  splitting: true,
  format: 'esm',
  metafile: true,
  plugins: [stubUnusedModules],
});

refuse(bundle.warnings);

/** Fails the build if there are warnings: esbuild has printed them. */
function refuse(warnings) {
  if (warnings.length > 0) throw new Error(`the build has ${warnings.length} warnings`);
}

const { outputs } = bundle.metafile;
const merged = new Set();
const members = Object.entries(groups).map(([group, sources]) => {
  const names = [...reachedFrom(outputs, sources)]
    .map((path) => basename(path))
    .filter((name) => !merged.has(name));
  for (const name of names) merged.add(name);
  return [group, names];
});
const texts = new Map(bundle.outputFiles.map(({ path, text }) => [basename(path), text]));
const chunks = new Map(
  Object.entries(outputs).map(([path, { exports }]) => {
    const name = basename(path);
    return [name, { text: texts.get(name), exports }];
  }),
);
const { files, warnings } = await mergeStartupChunks(chunks, new Map(members), {
  platform: 'node',
  target,
  minify: true,
  lineLimit: 160,
});
refuse(warnings);

// The launcher stands alone, so that --version needs nothing else.
const launcher = await build({
  ...settings,
  entryPoints: ['src/launch.ts'],
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
});
files.set('launch.cjs', launcher.outputFiles[0].text);

// One character beyond Latin-1 makes V8 read and scan the whole file as two-byte text: 2 % of each start.
for (const [name, text] of files)
  if (/[^\0-\xff]/.test(text)) throw new Error(`${name} has characters beyond Latin-1: escape them`);

// Whoever runs the program meanwhile finds either build whole.
const fresh = `${out}.${process.pid}`;
await mkdir(fresh, { recursive: true });
for (const [name, text] of [...files, ...parserFiles]) await writeFile(join(fresh, name), text);
await rm(out, { recursive: true, force: true });
await rename(fresh, out);
