/**
 * Builds the program: `node scripts/build.mjs [folder]` (default: dist). CommonJS files: `launch.cjs`, which is
 * started, `core.cjs` with what the common calls need, a chunk for each part that is loaded late, `help/` with texts.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { mergeStartupChunks, reachedFrom } from './merge-startup-chunks.mjs';
import { stubUnusedModules } from './stub-unused-modules.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const out = resolve(process.argv[2] ?? join(root, 'dist'));
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const target = 'node20.18';

/** What `resolve` and listings to stdout load. */
const common = [
  'src/start.ts',
  'src/commands/resolve.ts',
  'src/commands/uploads.ts',
  'src/run/list-to-stdout.ts',
  'src/api/dispatcher.ts',
  'src/output/ndjson.ts',
  'src/output/table.ts',
  'node_modules/cli-table3/index.js',
];

const settings = {
  absWorkingDir: root,
  outExtension: { '.js': '.cjs' },
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
  entryPoints: { start: 'src/start.ts', 'prerendered-help': 'scripts/docgen/prerendered-help.ts' },
  chunkNames: '[name]-[hash]',
  splitting: true,
  format: 'esm',
  metafile: true,
  plugins: [stubUnusedModules],
});

refuse(bundle.warnings);

/** esbuild has printed the warnings; a build with any is none. */
function refuse(warnings) {
  if (warnings.length > 0) throw new Error(`the build has ${warnings.length} warnings`);
}

// esbuild splits chunks only as ES modules, and CommonJS ones start faster: so each chunk is turned into
// CommonJS afterwards, and `import()` into a late `require`.
const chunks = new Map();
for (const { path, text } of bundle.outputFiles) {
  const { code, warnings } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target,
    supported: { 'dynamic-import': false },
    minify: true,
    lineLimit: 160,
  });
  chunks.set(basename(path), code);
  refuse(warnings);
}
const reached = [...reachedFrom(bundle.metafile.outputs, common)].map((path) => basename(path));
const files = mergeStartupChunks(chunks, new Set(reached), 'core.cjs', 'start.cjs');

// The launcher stands alone, so that help and version need nothing else.
const launcher = await build({
  ...settings,
  entryPoints: ['src/launch.ts'],
  format: 'cjs',
});
files.set('launch.cjs', launcher.outputFiles[0].text);

// Whoever runs the program meanwhile finds either build whole.
const fresh = `${out}.${process.pid}`;
await mkdir(join(fresh, 'help'), { recursive: true });
for (const [name, text] of files) await writeFile(join(fresh, name), text);
const maker = join(fresh, 'prerendered-help.cjs');
for (const [name, text] of await createRequire(import.meta.url)(maker).prerenderedHelp()) {
  await writeFile(join(fresh, 'help', name), text);
}
await rm(maker);
await rm(out, { recursive: true, force: true });
await rename(fresh, out);
