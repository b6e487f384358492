import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';

test('the package has the program, its documents and licences, no install script and no dependency', async () => {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts']);
  const [{ files }] = JSON.parse(stdout) as [{ files: readonly { readonly path: string }[] }];
  const paths = files.map(({ path }) => path);
  for (const wanted of [
    'LICENSE',
    'THIRD_PARTY_LICENSES',
    'sbom.cdx.json',
    'bin/chanlist.js',
    'dist/launch.cjs',
    'docs/cron.md',
  ])
    assert.ok(paths.includes(wanted), wanted);
  for (const path of paths)
    assert.match(
      path,
      /^(?:(?:bin|dist|docs|completions|man)\/|[A-Z][A-Z_]+(?:\.md)?$|(?:package|sbom\.cdx)\.json$)/,
    );
  const text = await readFile('package.json', 'utf8');
  const { scripts, dependencies, optionalDependencies, devDependencies } = JSON.parse(text);
  assert.deepEqual([dependencies, optionalDependencies], [undefined, undefined]);
  for (const hook of ['preinstall', 'install', 'postinstall']) assert.equal(scripts[hook], undefined, hook);
  const licences = await readFile('THIRD_PARTY_LICENSES', 'utf8');
  const { components } = JSON.parse(await readFile('sbom.cdx.json', 'utf8')) as { components: Component[] };
  const purls = components.map(({ purl }) => purl);
  for (const name of ['chalk', 'cli-table3', 'commander', 'conf', 'ora', 'string-width', 'undici']) {
    assert.ok(licences.includes(`${name} ${devDependencies[name]} (MIT)\n`), name);
    assert.ok(purls.includes(`pkg:npm/${name}@${devDependencies[name]}`), name);
  }
});

interface Component {
  readonly name: string;
  readonly purl: string;
  readonly components?: readonly { readonly name: string }[];
}

test("undici's WebAssembly files are llhttp: its licence and its place in the list of parts", async () => {
  const files = (await readdir('dist')).filter((name) => name.endsWith('.wasm'));
  assert.deepEqual(files.sort(), ['llhttp.wasm', 'llhttp_simd.wasm']);
  assert.match(
    await readFile('THIRD_PARTY_LICENSES', 'utf8'),
    /^llhttp, .* \(MIT\)\n\nCopyright Fedor Indutny, 2018\.\n\nPermission is hereby granted/m,
  );
  const { components } = JSON.parse(await readFile('sbom.cdx.json', 'utf8')) as { components: Component[] };
  const undici = components.find(({ name }) => name === 'undici');
  assert.deepEqual(
    undici?.components?.map(({ name }) => name),
    ['llhttp'],
  );
});
