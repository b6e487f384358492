/**
 * Packs the chunks of the common calls into one file. Finding, opening and wrapping some 25 small files costs 10 ms
 * of each call; without this step the program does the same, slower.
 */

/** The outputs that importing these source files loads. `outputs`: of esbuild's metafile. */
export function reachedFrom(outputs, sources) {
  const found = new Set();
  const add = (path) => {
    if (found.has(path) || outputs[path] === undefined) return;
    found.add(path);
    for (const { path: next, kind } of outputs[path].imports) if (kind === 'import-statement') add(next);
  };
  for (const [path, { entryPoint }] of Object.entries(outputs)) if (sources.includes(entryPoint)) add(path);
  return found;
}

/**
 * Moves some CommonJS files into one, `mergedName`, which exports a `require` for them, and all that `main`, one of
 * them, exports. `files`: text by name, all in one folder; `names`: those to move. The others then ask the pack.
 */
export function mergeStartupChunks(files, names, mergedName, main) {
  const packed = new Map();
  for (const [name, text] of files) {
    if (names.has(name)) continue;
    const asking = text.replace(/\brequire\("\.\/([^"/]+)"\)/g, (call, asked) =>
      names.has(asked) ? `require("./${mergedName}")("./${asked}")` : call,
    );
    packed.set(name, asking);
  }
  const parts = [...names].map(
    (name) => `"./${name}": (function (module, exports, require) {\n${files.get(name)}\n})`,
  );
  const text = `const parts = {\n${parts.join(',\n')}\n};\n${loader}Object.assign(load, load('./${main}'), { loaded: () => [...loaded.keys()] });\n`;
  packed.set(mergedName, text);
  return packed;
}

const loader = `const loaded = new Map();
module.exports = load;
function load(name) {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  if (!Object.hasOwn(parts, name)) return require(name);
  const module = { exports: {} };
  loaded.set(name, module);
  parts[name](module, module.exports, load);
  return module.exports;
}
`;
