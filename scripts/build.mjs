/**
 * Builds the program: `node scripts/build.mjs [folder]` (default: dist). `chanlist.cjs` is the program, the packages that
 * are loaded late are files of their own; the manual page and the licences of what is bundled are put beside them.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundle, loadGenerated } from './bundle.mjs';

const out = resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url)));
process.chdir(fileURLToPath(new URL('../', import.meta.url)));

/** Packages that few runs need: each is a file of its own, which is loaded when the program first uses it. */
const late = ['conf', 'ora', 'chalk', 'cli-table3', 'string-width'];

/**
 * What the program never uses of its packages but would load at each start. `module`, required by a file whose path contains
 * `by`, is replaced with `text`. Without this table the program does the same, slower: it saves a fifth of a `resolve`.
 */
const stubs = [
  {
    // HTTP/2 is never offered (`allowH2: false`); its client loads node:http2 and node:tls.
    module: './client-h2.js',
    by: 'undici/lib/dispatcher/',
    text: `module.exports = () => { throw new Error('HTTP/2 is left out'); };`,
  },
  {
    // Only for requests with a body, and there are none. It loads most of `fetch`.
    module: '../web/fetch/body.js',
    by: 'undici/lib/dispatcher/',
    text: `exports.extractBody = () => { throw new Error('request bodies are left out'); };`,
  },
  {
    // Read for one number, Node's default, and for one class that is only compared with.
    module: 'node:http',
    by: 'undici/lib/',
    text: 'exports.maxHeaderSize = 16384; exports.IncomingMessage = class {};',
  },
  {
    // The same errors, thrown by the same function, which is loaded when there is one to throw.
    module: 'node:assert',
    by: 'undici/lib/',
    text: `module.exports = (value, message) => { if (!value) require('node:assert')(value, message); };`,
  },
  {
    // Only for subcommands that are programs of their own, and there are none.
    module: 'node:child_process',
    by: 'commander/lib/',
    text: 'module.exports = {};',
  },
  {
    // It looks for what the terminal can show (7 ms): loaded for the first colour.
    module: 'chalk',
    by: 'src/output/',
    text: `exports.Chalk = function (options) { return new (require('chalk').Chalk)(options); };`,
  },
  {
    // It compiles a regular expression of all emoji (25 ms): loaded for the first text that is not plain.
    module: 'string-width',
    by: 'src/output/',
    text: `let measure; module.exports = (text) => (measure ??= require('string-width').default)(text);`,
  },
  {
    // An older version of the same. It measures cells, which are padded before (output/table.ts).
    module: 'string-width',
    by: 'cli-table3/src/',
    text: 'module.exports = (text) => text.length;',
  },
];

const plugin = {
  name: 'stubs-and-late-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path, importer, kind, namespace }) => {
      if (namespace === 'late') return { path, external: true };
      const file = relative('.', importer).replaceAll('\\', '/');
      const stub = stubs.findIndex(({ module, by }) => path === module && file.includes(by));
      if (stub !== -1) return { path: `${stub}`, namespace: 'stub' };
      const isLate = late.includes(path) && kind !== 'entry-point' && !file.includes('node_modules');
      return isLate ? { path, namespace: 'late' } : undefined;
    });
    // Imported from a file of ours, the default of a CommonJS file would be all of it.
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: `export * from './${path}.cjs'; export { default } from './${path}.cjs';`,
    }));
    onLoad({ filter: /.*/, namespace: 'stub' }, ({ path }) => ({ contents: stubs[path].text }));
  },
};

function fail(sentence) {
  console.error(`build: ${sentence}`);
  process.exit(1);
}

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
const { metafile, outputFiles, warnings } = await build({
  entryPoints: [{ in: 'src/start.ts', out: 'chanlist' }, ...late.map((name) => ({ in: name, out: name }))],
  outdir: out,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: bundle.target,
  // `import()` becomes `require`: Node's loader of ES modules takes 4 ms.
  supported: { 'dynamic-import': false },
  define: { CHANLIST_VERSION: JSON.stringify(version) },
  minify: true,
  lineLimit: 160,
  legalComments: 'none',
  metafile: true,
  write: false,
  plugins: [plugin],
});
if (warnings.length > 0) fail('warnings count as errors');
for (const [at, { module, by }] of stubs.entries())
  if (metafile.inputs[`stub:${at}`] === undefined)
    fail(`nothing in ${by} requires ${module} any more; change the table of stubs in scripts/build.mjs`);

/**
 * Escapes what is not ASCII: esbuild keeps it in regular expressions. With one such character V8 stores the whole file
 * with two bytes per character.
 */
function inAscii(text) {
  const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(/[^\0-\x7f]/g, escaped);
}

/** The licences of the packages of which something is bundled. */
async function licenses() {
  const folders = Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((each) => /^licen[cs]e(?:\.|$)/i.test(each));
    if (file === undefined) fail(`${name} has no licence file`);
    return `${name} ${version} (${license})\n\n${await readFile(join(folder, file), 'utf8')}`;
  });
  const llhttp = await readFile('scripts/llhttp-license.txt', 'utf8');
  return [
    'chanlist brings along parts of these packages, each under its own licence.',
    ...(await Promise.all(texts)),
    `llhttp, compiled to WebAssembly by undici (MIT)\n\n${llhttp}`,
  ]
    .map((text) => `${text.replaceAll('\r\n', '\n').trim()}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

const { manPage } = await loadGenerated();
const files = new Map(outputFiles.map(({ path, text }) => [basename(path), inAscii(text)]));
files.set('chanlist.1', manPage).set('THIRD_PARTY_LICENSES', await licenses());

// Swap at once: a concurrent run sees a complete build.
const fresh = `${out}.${process.pid}`;
await mkdir(fresh, { recursive: true });
for (const [name, contents] of files) await writeFile(join(fresh, name), contents);
await rm(out, { recursive: true, force: true });
await rename(fresh, out);
