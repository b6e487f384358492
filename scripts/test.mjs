/**
 * Runs tests: `node scripts/test.mjs [--all] [folder or file under test…] [-- options of node --test]`. Right after a
 * clone it installs and builds first. Without names it runs all but the long tests; `--all` runs those, too, after
 * the tests of the built program on the other supported versions of Node. Tests are bundled, so that each version
 * runs them without a loader.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('../', import.meta.url)));

/** Tests that `npm test` skips and `npm run test:all` runs. */
const longTests = /^test[\\/](?:chaos|program[\\/]faults|terminal)[\\/]|\.long\.test\.ts$/;
/** Tests that run the built program, and the versions of Node on which `--all` runs them besides this one. */
const programTests = 'test/program';
const otherNodes = ['22', '24'].filter((version) => !process.versions.node.startsWith(`${version}.`));
/** Minutes after which a run is killed. Each test has a limit of its own: test/support/limited-test.ts. */
const runLimit = 60;

const split = process.argv.indexOf('--');
const words = process.argv.slice(2, split === -1 ? undefined : split);
const nodeOptions = split === -1 ? [] : process.argv.slice(split + 1);
const all = words.includes('--all');
const names = words.filter((word) => word !== '--all');

/** Runs a program to its end and returns its exit code. */
function run(command, args, more = {}) {
  // Parsing the certificates named by this variable costs every Node process of the tests 50 ms.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const { status, signal, error } = spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...env, ...more },
    timeout: runLimit * 60_000,
  });
  if (error !== undefined || signal !== null) console.error(`${command}: ${error?.message ?? signal}`);
  return status ?? 1;
}

/** Ends this process if a step has failed. */
function need(status) {
  if (status !== 0) process.exit(status);
}

if (!existsSync('node_modules/.package-lock.json')) need(run('npm', ['ci', '--no-audit', '--no-fund']));
need(run(process.execPath, ['scripts/build.mjs']));

/** Returns the test files in a folder; returns a file as it is. */
function find(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(path, name))
    .sort();
}

const tests =
  names.length > 0 ? names.flatMap(find) : find('test').filter((path) => all || !longTests.test(path));
// Without a file, node --test would run every file that looks like a test.
if (tests.length === 0) {
  console.error(`there are no tests in ${names.join(', ')}`);
  process.exit(1);
}

/** An esbuild plugin: gives each test a time limit. */
const limitTests = {
  name: 'limit-tests',
  setup(build) {
    const limited = join(process.cwd(), 'test', 'support', 'limited-test.ts');
    build.onResolve({ filter: /^node:test$/ }, ({ importer }) =>
      importer === limited ? { path: 'node:test', external: true } : { path: limited },
    );
  },
};

const { build } = await import('esbuild');
const { bundle } = await import('./bundle.mjs');
const outdir = `.test-build/${process.pid}`;
const outputOf = (path) => join(outdir, relative('.', path).replace(/\.ts$/, '.mjs'));

/** Runs bundled tests on this Node (null) or another version; returns the exit code. */
function runTests(version, paths) {
  const reporter = nodeOptions.some((option) => option.startsWith('--test-reporter'));
  const args = [
    '--enable-source-maps',
    '--test',
    `--test-concurrency=${availableParallelism() + 1}`,
    ...(reporter ? [] : ['--test-reporter=spec']),
    ...nodeOptions,
    ...paths.map(outputOf),
  ];
  const more = all ? { CHANLIST_LONG: '1' } : {};
  if (version === null) return run(process.execPath, args, more);
  console.log(`\nthe tests of the built program on Node ${version}`);
  return run('npx', ['--yes', '--package', `node@${version}`, '--', 'node', ...args], more);
}

try {
  await build({
    entryPoints: tests,
    outdir,
    outbase: '.',
    outExtension: { '.js': '.mjs' },
    ...bundle,
    splitting: true,
    sourcemap: 'inline',
    plugins: [limitTests],
  });
  const ofProgram = tests.filter((path) => path.startsWith(join(programTests, sep)) && !longTests.test(path));
  const others = all && ofProgram.length > 0 ? otherNodes : [];
  const statuses = others.map((version) => runTests(version, ofProgram));
  if (others.length > 0) console.log(`\nall tests on Node ${process.versions.node}`);
  statuses.push(runTests(null, tests));
  const failed = [...others, process.versions.node].filter((_, at) => statuses[at] !== 0);
  if (failed.length > 0) console.error(`failed on Node ${failed.join(', ')}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
