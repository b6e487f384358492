/**
 * Turns the chunks of the build into CommonJS, which starts faster than ES modules (esbuild splits only those), and
 * merges the chunks that a call loads together into one file. Opening and wrapping a file takes about 0.4 ms, and the
 * common calls load some 60 chunks; without the merging the program does the same, slower.
 */
import { build } from 'esbuild';

/** The outputs that importing these source files loads; each is imported late. `outputs`: of esbuild's metafile. */
export function reachedFrom(outputs, sources) {
  const found = new Set();
  const add = (path) => {
    if (found.has(path) || outputs[path] === undefined) return;
    found.add(path);
    for (const { path: next, kind } of outputs[path].imports) if (kind === 'import-statement') add(next);
  };
  for (const source of sources) {
    const entry = Object.keys(outputs).find((path) => outputs[path].entryPoint?.endsWith(source));
    if (entry === undefined)
      throw new Error(`nothing imports ${source} late: see the groups in scripts/build.mjs`);
    add(entry);
  }
  return found;
}

/**
 * CommonJS files by name. `chunks`: by name (`a.js`), the text of an ES module and the names of its exports; they
 * import each other as `./a.js`. Each becomes `a.cjs`, except those in `groups`: by the name of a merged file, the names
 * of its chunks. A merged file exports each of its chunks under the chunk's name, and the exports of the first one
 * themselves. Its chunks run together when it is loaded. `settings`: options of esbuild; returns its warnings, too.
 */
export async function mergeStartupChunks(chunks, groups, settings) {
  const groupOf = new Map();
  for (const [group, names] of groups) for (const name of names) groupOf.set(name, group);
  const alone = [...chunks.keys()].filter((name) => !groupOf.has(name));
  const builds = [[alone.map((name) => [name.replace(/\.js$/, '.cjs'), name]), null]];
  for (const group of groups.keys()) builds.push([[[group, group]], group]);

  const files = new Map();
  const warnings = [];
  for (const [entries, group] of builds) {
    const result = await build({
      ...settings,
      entryPoints: entries.map(([file, name]) => ({ in: name, out: file.replace(/\.cjs$/, '') })),
      outdir: '/',
      outExtension: { '.js': '.cjs' },
      format: 'cjs',
      supported: { 'dynamic-import': false },
      bundle: true,
      write: false,
      plugins: [linkChunks(chunks, groups, groupOf, group)],
    });
    warnings.push(...result.warnings);
    for (const { path, text } of result.outputFiles) files.set(path.replace(/^.*[\\/]/, ''), text);
  }
  return { files, warnings };
}

/** An esbuild plugin: where an import of a chunk leads, from a chunk in `group` or (null) in a file of its own. */
function linkChunks(chunks, groups, groupOf, group) {
  const groupText = (names) =>
    [
      `export * from './${names[0]}';`,
      ...names.map((name) => `export * as ${JSON.stringify(name)} from './${name}';`),
    ].join('\n');
  /** Copies of the exports of a module that has run: they no longer change, and local names are faster. */
  const copyText = (module, names) =>
    [
      `const { ${names.map((name, i) => `${name}: local${i}`).join(', ')} } = ${module};`,
      `export { ${names.map((name, i) => `local${i} as ${name}`).join(', ')} };`,
    ].join('\n');
  const merged = (name) => `require('./${groupOf.get(name)}')[${JSON.stringify(name)}]`;
  return {
    name: 'link-chunks',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path, kind }) => {
        if (kind === 'entry-point') return { path, namespace: 'chunk' };
        const name = path.replace(/^\.\//, '');
        if (!chunks.has(name)) return { path, external: true };
        const owner = groupOf.get(name);
        if (owner === undefined) return { path: path.replace(/\.js$/, '.cjs'), external: true };
        // Late imports go through the finished file, so that esbuild puts its chunks into one scope, not each into a
        // function of its own: 5 % of a call that sends a request.
        if (kind === 'dynamic-import') return { path: name, namespace: 'late' };
        return { path: name, namespace: owner === group ? 'chunk' : 'elsewhere' };
      });
      build.onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path }) => ({
        contents: chunks.get(path)?.text ?? groupText(groups.get(path)),
        loader: 'js',
      }));
      build.onLoad({ filter: /.*/, namespace: 'elsewhere' }, ({ path }) => ({
        contents: copyText(merged(path), chunks.get(path).exports),
        loader: 'js',
      }));
      build.onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
        contents: `module.exports = Object.defineProperty(${merged(path)}, '__esModule', { value: true });`,
        loader: 'js',
      }));
    },
  };
}
