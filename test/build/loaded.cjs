/** Loaded before the program: prints on stderr, at its end, which modules of Node and which files it has loaded. */
const before = new Set(process.moduleLoadList);
process.on('exit', () => {
  const modules = process.moduleLoadList
    .filter((name) => !before.has(name) && name.startsWith('NativeModule '))
    .map((name) => name.slice('NativeModule '.length));
  const files = Object.keys(require.cache).map((path) => path.split(/[\\/]/).at(-1));
  console.error(JSON.stringify({ modules, files }));
});
