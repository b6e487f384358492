/**
 * Builds the program: `node scripts/build.mjs [folder]` (default: dist). `chanlist.cjs` is the program; packages that are
 * loaded late are files of their own. Beside them are the manual page and the licences of the bundled packages.
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
 * Parts of packages that would be loaded at each start, but are never or rarely used. `module`, if a file whose path contains
 * `by` requires it, is replaced with `text`. The table changes nothing but the speed: it saves a fifth of a `resolve`.
 */
const stubs = [
  {
    // HTTP/2 is never offered (`allowH2: false`); its client loads node:http2 and node:tls.
    module: './client-h2.js',
    by: 'undici/lib/dispatcher/',
    text: `module.exports = () => { throw new Error('HTTP/2 is left out'); };`,
  },
  {
    // Needed only for requests with a body, which the program never sends. It loads most of `fetch`.
    module: '../web/fetch/body.js',
    by: 'undici/lib/dispatcher/',
    text: `exports.extractBody = () => { throw new Error('request bodies are left out'); };`,
  },
  {
    // Loaded only for one number, Node's default, and for one class that is only compared with.
    module: 'node:http',
    by: 'undici/lib/',
    text: 'exports.maxHeaderSize = 16384; exports.IncomingMessage = class {};',
  },
  {
    // Throws the same errors with the same function, which is loaded when there is an error to throw.
    module: 'node:assert',
    by: 'undici/lib/',
    text: `module.exports = (value, message) => { if (!value) require('node:assert')(value, message); };`,
  },
  {
    // Needed only for subcommands that are separate programs, and there are none.
    module: 'node:child_process',
    by: 'commander/lib/',
    text: 'module.exports = {};',
  },
  {
    // chalk finds out what the terminal can show (7 ms), so it is loaded for the first colour.
    module: 'chalk',
    by: 'src/output/',
    text: `exports.Chalk = function (options) { return new (require('chalk').Chalk)(options); };`,
  },
  {
    // string-width compiles a regular expression of all emoji (25 ms), so it is loaded for the first text that is not plain.
    module: 'string-width',
    by: 'src/output/',
    text: `let measure; module.exports = (text) => (measure ??= require('string-width').default)(text);`,
  },
  {
    // An older version of string-width. It measures cells that are padded already (output/table.ts).
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
    // If a file of ours imported the CommonJS file directly, its default export would be the whole module.
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
 * Escapes the characters that are not ASCII, which esbuild keeps in regular expressions: even one of them makes V8 store the
 * whole file with two bytes per character.
 */
function inAscii(text) {
  const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(/[^\0-\x7f]/g, escaped);
}

/** Returns the licences of the packages that are bundled, at least in part. */
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

// The folder is replaced at once, so that a concurrent run sees a complete build.
const fresh = `${out}.${process.pid}`;
await mkdir(fresh, { recursive: true });
for (const [name, contents] of files) await writeFile(join(fresh, name), contents);
await rm(out, { recursive: true, force: true });
await rename(fresh, out);
