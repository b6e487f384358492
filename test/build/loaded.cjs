/** Loaded before the program: tells on stderr, at its end, what of Node and of the program has been loaded. */
const before = new Set(process.moduleLoadList);
process.on('exit', () => {
  const modules = process.moduleLoadList
    .filter((name) => !before.has(name) && name.startsWith('NativeModule '))
    .map((name) => name.slice('NativeModule '.length))
    .filter((name) => !name.startsWith('internal/'));
  const files = Object.keys(require.cache).map((path) => path.split(/[\\/]/).at(-1));
  const core = Object.values(require.cache).find(({ exports }) => typeof exports.loaded === 'function');
  console.error(JSON.stringify({ modules, files, parts: core?.exports.loaded() ?? [] }));
});
