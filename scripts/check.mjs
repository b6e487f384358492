/** Checks everything but the tests: one line per step; a warning is an error. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadGenerated } from './bundle.mjs';
import { slowRegexes } from './regexes.mjs';

process.chdir(fileURLToPath(new URL('../', import.meta.url)));

/** Dependencies that may run a script when they are installed. */
const installScripts = ['node_modules/esbuild'];

/** Runs a tool, which must succeed without warnings; returns its output as a problem if it does not. */
function tool(command, ...args) {
  const path = join('node_modules', '.bin', command);
  const { status, stdout, stderr, error } = spawnSync(path, args, { encoding: 'utf8' });
  if (status === 0) return [];
  return [`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`.trim()}`];
}

async function completionsAreCurrent() {
  const { completions } = await loadGenerated();
  return completions
    .filter(([path, text]) => readFileSync(path, 'utf8') !== text)
    .map(([path]) => `${path} is not what the program says; run: npm run generate`);
}

/** Patterns that no file of the repository may match, by what they find. */
const unwanted = [
  ['the host that packages come from', /\bregistry\.[\w-]+\.[a-z]{2,}\b/i],
  ['an absolute home folder', /(?<![\w.:~-])\/root\/\w/],
  ['something left to do', /\b(?:TO{1}DO|FIX{1}ME|X{3})\b/],
  ['a merge conflict', /^(?:<{7}|={7}|>{7})(?: |$)/],
  ['a test that stands alone', /\b(?:test|describe|it)\.on{1}ly\(/],
  ['a character that hides text', /[\u202a-\u202e\u2066-\u2069]/],
];

function textsAreClean() {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = spawnSync('git', args, { encoding: 'utf8' });
  const paths = stdout.split('\0').filter((path) => path !== '' && existsSync(path));
  return paths.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        unwanted
          .filter(([, pattern]) => pattern.test(line))
          .map(([what]) => `${path}:${index + 1} has ${what}`),
      ),
  );
}

function lockFileIsSound() {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { devDependencies, version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const problems = [];
  if (lock.version !== version) problems.push('package-lock.json has another version than package.json');
  for (const [name, range] of Object.entries(devDependencies))
    if (!/^\d+\.\d+\.\d+$/.test(range)) problems.push(`package.json: ${name} is not pinned (${range})`);
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '') continue;
    if (entry.resolved !== undefined) problems.push(`package-lock.json: ${path} has the name of a host`);
    if (entry.integrity === undefined) problems.push(`package-lock.json: ${path} has no checksum`);
    if (entry.hasInstallScript && !installScripts.includes(path))
      problems.push(`package-lock.json: ${path} runs a script when it is installed`);
  }
  return problems;
}

const steps = [
  ['types', () => tool('tsc', '-p', '.')],
  ['lint and form', () => tool('biome', 'ci', '--error-on-warnings', '--colors=off', '.')],
  ['completions', completionsAreCurrent],
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
