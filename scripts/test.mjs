/**
 * Runs the tests: `node scripts/test.mjs [folder or file under test…] [-- options of node --test]`. Right after a
 * clone it installs and builds first. Tests are bundled so that every supported Node runs them without a loader.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
process.chdir(root);

const split = process.argv.indexOf('--');
const wanted = process.argv.slice(2, split === -1 ? undefined : split);
const nodeOptions = split === -1 ? [] : process.argv.slice(split + 1);

const reporter = nodeOptions.some((option) => option.startsWith('--test-reporter'))
  ? []
  : ['--test-reporter=spec'];

/** Runs a program to its end and returns its exit code. */
function run(command, args) {
  // Parsing the certificates named by this variable costs every Node process of the tests 50 ms.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const { status, signal } = spawnSync(command, args, { stdio: 'inherit', env });
  return signal ? 1 : (status ?? 1);
}

if (!existsSync('node_modules/.package-lock.json')) {
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
const built = run(process.execPath, ['scripts/build.mjs']);
if (built !== 0) process.exit(built);

const tests = (wanted.length > 0 ? wanted : ['test']).flatMap(find);
function find(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(path, name))
    .sort();
}

const { build } = await import('esbuild');
const outdir = `.test-build/${process.pid}`;
try {
  await build({
    entryPoints: tests,
    outdir,
    outbase: '.',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  const files = tests.map((path) => join(outdir, relative('.', path).replace(/\.ts$/, '.mjs')));
  process.exitCode = run(process.execPath, [
    '--enable-source-maps',
    '--test',
    '--test-concurrency=3',
    ...reporter,
    ...nodeOptions,
    ...files,
  ]);
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
