/**
 * Parts of bundled packages that this program never uses, replaced before they cost start-up time. Together they
 * save about 30 ms of each call that sends a request; without this plugin the program does the same, slower.
 */

/** What stands in place of a module, for the files of a package that ask for it. */
const stubs = [
  {
    // HTTP/2 is never offered (`allowH2: false`), and its client loads node:http2 and node:tls.
    asked: /^\.\/client-h2\.js$/,
    by: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]/,
    text: `module.exports = () => { throw new Error('HTTP/2 is left out'); };`,
  },
  {
    // Only for requests with a body: there are none. Loads most of \`fetch\`.
    asked: /^\.\.\/web\/fetch\/body\.js$/,
    by: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]/,
    text: `exports.extractBody = () => { throw new Error('request bodies are left out'); };`,
  },
  {
    // Read for one number (Node's default) and one class that is only compared with.
    asked: /^node:http$/,
    by: /[\\/]undici[\\/]lib[\\/]/,
    text: `exports.maxHeaderSize = 16384; exports.IncomingMessage = class IncomingMessage {};`,
  },
  {
    // The same errors, thrown by the same function, which is loaded when there is one to throw.
    asked: /^node:assert$/,
    by: /[\\/]undici[\\/]lib[\\/]/,
    text: `module.exports = (value, message) => { if (!value) require('node:assert')(value, message); };`,
  },
  {
    // Commander starts programs only for subcommands that are files of their own: there are none.
    asked: /^node:child_process$/,
    by: /[\\/]commander[\\/]lib[\\/]/,
    text: `exports.spawn = (...all) => require('node:child_process').spawn(...all);`,
  },
  {
    // output/grid.ts hands cli-table3 nothing but characters of one column: no tables of wide ones are needed.
    asked: /^string-width$/,
    by: /[\\/]cli-table3[\\/]src[\\/]/,
    text: `module.exports = (text) => text.length;`,
  },
];

/** An esbuild plugin. A stub that no longer finds its place, after an update, fails the build. */
export const stubUnusedModules = {
  name: 'stub-unused-modules',
  setup(build) {
    const placed = new Set();
    for (const [number, { asked, by }] of stubs.entries()) {
      build.onResolve({ filter: asked }, ({ importer }) => {
        if (!by.test(importer)) return undefined;
        placed.add(number);
        return { path: String(number), namespace: 'stub' };
      });
    }
    build.onLoad({ filter: /.*/, namespace: 'stub' }, ({ path }) => ({
      contents: stubs[Number(path)].text,
      loader: 'js',
    }));
    build.onEnd(() => ({
      errors: stubs
        .filter((_, number) => !placed.has(number))
        .map(({ asked }) => ({
          text: `nothing asks for ${asked} any more: see scripts/stub-unused-modules.mjs`,
        })),
    }));
  },
};
