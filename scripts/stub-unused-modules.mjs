/**
 * Parts of bundled packages that this program does not use, replaced before they cost start-up time; without this plugin
 * the program does the same, slower. Together they save about a third of each call that sends a request. Each row can be
 * removed alone; one that saves less than 2 % of the calls that load it is not worth its lines.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { ERROR, TYPE } = require('undici/lib/llhttp/constants.js');

/** undici's HTTP parser: files beside the bundle, so that no start scans them as base64 text in the program. */
export const parserFiles = new Map(
  ['llhttp', 'llhttp_simd'].map((name) => [`${name}.wasm`, require(`undici/lib/llhttp/${name}-wasm.js`)]),
);

/** `required` by a file that matches `by` is replaced with a module of this `text`. */
const stubs = [
  {
    // HTTP/2 is never offered (`allowH2: false`), and its client loads node:http2 and node:tls.
    required: /^\.\/client-h2\.js$/,
    by: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]/,
    text: `module.exports = () => { throw new Error('HTTP/2 is left out'); };`,
  },
  {
    // Only for requests with a body: there are none. Loads most of \`fetch\`.
    required: /^\.\.\/web\/fetch\/body\.js$/,
    by: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]/,
    text: `exports.extractBody = () => { throw new Error('request bodies are left out'); };`,
  },
  {
    // Read for one number (Node's default) and one class that is only compared with.
    required: /^node:http$/,
    by: /[\\/]undici[\\/]lib[\\/]/,
    text: `exports.maxHeaderSize = 16384; exports.IncomingMessage = class IncomingMessage {};`,
  },
  {
    // The same errors, thrown by the same function, which is loaded when there is one to throw.
    required: /^node:assert$/,
    by: /[\\/]undici[\\/]lib[\\/]/,
    text: `module.exports = (value, message) => { if (!value) require('node:assert')(value, message); };`,
  },
  {
    required: /^\.\.\/llhttp\/llhttp_simd-wasm\.js$/,
    by: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]/,
    text: `module.exports = require('node:fs').readFileSync(__dirname + '/llhttp_simd.wasm');`,
  },
  {
    required: /^\.\.\/llhttp\/llhttp-wasm\.js$/,
    by: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]/,
    text: `module.exports = require('node:fs').readFileSync(__dirname + '/llhttp.wasm');`,
  },
  {
    // Two of its 30 tables are read. This and the next three together: 3 %.
    required: /^\.\.\/llhttp\/constants\.js$/,
    by: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]/,
    text: `module.exports = ${JSON.stringify({ ERROR, TYPE })};`,
  },
  {
    // A table and a search tree of well-known header names: undici writes unknown names in lower case itself.
    required: /^\.\/constants$/,
    by: /[\\/]undici[\\/]lib[\\/]core[\\/]/,
    text: `exports.headerNameLowerCasedRecord = {};`,
  },
  {
    required: /^\.\/tree$/,
    by: /[\\/]undici[\\/]lib[\\/]core[\\/]/,
    text: `exports.tree = { lookup: () => null };`,
  },
  {
    // Channels of diagnostics, to which nothing subscribes.
    required: /[\\/]diagnostics(?:\.js)?$/,
    by: /[\\/]undici[\\/]lib[\\/]/,
    text: `exports.channels = new Proxy({}, { get: () => ({ hasSubscribers: false }) });`,
  },
  {
    // Commander starts programs only for subcommands that are files of their own: there are none.
    required: /^node:child_process$/,
    by: /[\\/]commander[\\/]lib[\\/]/,
    text: `exports.spawn = (...all) => require('node:child_process').spawn(...all);`,
  },
  {
    // Loading it takes 25 ms, nearly all for one regular expression of emoji: only for texts that need it.
    required: /^string-width$/,
    by: /[\\/]src[\\/]output[\\/]/,
    text: `
      let measure;
      module.exports = (text) => (measure ??= require('./node_modules/string-width/index.js').default)(text);`,
  },
  {
    // Cells are plain ASCII, or placeholders of their width: as wide as they are long (output/table.ts).
    required: /^string-width$/,
    by: /[\\/]cli-table3[\\/]src[\\/]/,
    text: `module.exports = (text) => text.length;`,
  },
  {
    // output/table.ts colours headers with chalk, after cli-table3 has drawn them.
    required: /^@colors\/colors\/safe$/,
    by: /[\\/]cli-table3[\\/]src[\\/]/,
    text: `throw new Error('colours are left out');`,
  },
];

/** An esbuild plugin. A stub that no longer finds its place, after an update, fails the build. */
export const stubUnusedModules = {
  name: 'stub-unused-modules',
  setup(build) {
    const placed = new Set();
    for (const [number, { required, by }] of stubs.entries()) {
      build.onResolve({ filter: required }, ({ importer }) => {
        if (!by.test(importer)) return undefined;
        placed.add(number);
        return { path: String(number), namespace: 'stub' };
      });
    }
    build.onLoad({ filter: /.*/, namespace: 'stub' }, ({ path }) => ({
      contents: stubs[Number(path)].text,
      loader: 'js',
      resolveDir: process.cwd(),
    }));
    build.onEnd(() => ({
      errors: stubs
        .filter((_, number) => !placed.has(number))
        .map(({ required }) => ({
          text: `nothing requires ${required} any more: see scripts/stub-unused-modules.mjs`,
        })),
    }));
  },
};
