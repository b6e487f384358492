/** Checks everything but the tests: one line per step; a warning is an error. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadGenerated } from './generated.mjs';
import { partsFiles } from './parts.mjs';
import { slowRegexes } from './regexes.mjs';

process.chdir(fileURLToPath(new URL('../', import.meta.url)));

/** Dependencies that may run a script when they are installed. */
const installScripts = ['node_modules/esbuild'];

/** Runs a tool, which must succeed without warnings. */
function tool(command, ...args) {
  const path = join('node_modules', '.bin', command);
  const { status, stdout, stderr, error } = spawnSync(path, args, { encoding: 'utf8' });
  if (status === 0) return [];
  return [`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`.trim()}`];
}

async function generatedFilesAreCurrent(generated) {
  const files = [...(await generated.generatedFiles()), ...(await partsFiles())];
  const wrong = files.filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text);
  const known = new Set(files.map(([path]) => path));
  const strays = ['completions', 'man']
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder).map((name) => `${folder}/${name}`) : []))
    .filter((path) => !known.has(path));
  return [
    ...wrong.map(([path]) => `${path} is not what the program says; run: npm run generate`),
    ...strays.map((path) => `${path} is not generated`),
  ];
}

/** What people read. */
const prose = /^(?:src|docs|man|bin|scripts|bench)\/|^(?:README|CONTRIBUTING|CHANGELOG)\.md$/;

/** What no file of the repository may contain, or none whose path matches. */
const unwanted = [
  ['the host that packages come from', /\bregistry\.[\w-]+\.[a-z]{2,}\b/i],
  ['an absolute home folder', /(?<![\w.:~-])\/root\/\w/],
  ['something left to do', /\b(?:TO{1}DO|FIX{1}ME|X{3})\b/],
  ['a merge conflict', /^(?:<{7}|={7}|>{7})(?: |$)/],
  ['a test that stands alone', /\b(?:test|describe|it)\.on{1}ly\(/],
  ['a character that hides text', /[\u202a-\u202e\u2066-\u2069]/],
  // Started, again, reported, fix, and so on.
  ['an unusual word', /\b(?:begu{1}n|ane{1}w|tol{1}d|men{1}d|at the mos{1}t)\b/i, prose],
  ['an unusual word', /\b(?:side by sid{1}e|makes no sens{1}e|goes o{1}n)\b/i, prose],
];

/** The path and text of each file of the repository. */
function texts() {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error('git ls-files failed');
  return stdout
    .split('\0')
    .filter((path) => path !== '' && existsSync(path))
    .map((path) => [path, readFileSync(path, 'utf8')])
    .filter(([, text]) => !text.includes('\0'));
}

function textsAreClean() {
  const problems = [];
  for (const [path, text] of texts()) {
    const rules = unwanted.filter(([, , paths]) => paths === undefined || paths.test(path));
    for (const [index, line] of text.split('\n').entries())
      for (const [what, pattern] of rules) {
        const found = pattern.exec(line);
        if (found !== null) problems.push(`${path}:${index + 1} has ${what}: ${found[0]}`);
      }
  }
  return problems;
}

function lockFileIsSound() {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const {
    dependencies = {},
    devDependencies = {},
    version,
  } = JSON.parse(readFileSync('package.json', 'utf8'));
  const problems = [];
  const wanted = { ...dependencies, ...devDependencies };
  const root = lock.packages[''];
  if (root.version !== version) problems.push('package-lock.json has another version than package.json');
  for (const [name, range] of Object.entries(wanted)) {
    if (!/^\d+\.\d+\.\d+$/.test(range)) problems.push(`package.json: ${name} is not pinned (${range})`);
    const locked = lock.packages[`node_modules/${name}`]?.version;
    if (locked !== range) problems.push(`package-lock.json has ${name} ${locked}, package.json ${range}`);
  }
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '') continue;
    if (entry.resolved !== undefined) problems.push(`package-lock.json: ${path} names a host`);
    if (entry.integrity === undefined) problems.push(`package-lock.json: ${path} has no checksum`);
    if (entry.hasInstallScript && !installScripts.includes(path)) {
      problems.push(`package-lock.json: ${path} runs a script when it is installed`);
    }
  }
  return problems;
}

const generated = loadGenerated();
// Reported by the steps that need it.
generated.catch(() => {});
const steps = [
  ['types', () => tool('tsc', '-p', '.')],
  ['lint and form', () => tool('biome', 'ci', '--error-on-warnings', '--colors=off', '.')],
  ['generated files', async () => generatedFilesAreCurrent(await generated)],
  ['texts', textsAreClean],
  ['regular expressions', () => slowRegexes('src')],
  ['lock file', lockFileIsSound],
];
for (const [name, step] of steps) {
  const problems = await Promise.resolve()
    .then(step)
    .catch((error) => [error.message]);
  console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name}`);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
