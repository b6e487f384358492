/**
 * Holds the tests to chosen changes of the program: `node scripts/mutants.mjs [PATTERN]`. Each row of
 * mutants-list.mjs is applied alone in a scratch copy of the working tree; its tests have to fail. Prints the
 * survivors, which make it fail. Takes about half an hour; not part of `npm test`.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mutants } from './mutants-list.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const pattern = new RegExp(process.argv[2] ?? '');
const chosen = mutants.filter(({ name }) => pattern.test(name));
const timeLimitMs = 10 * 60 * 1000;
const notBuilt = 'the program cannot be built';

const missing = chosen.flatMap(({ tests }) => tests).filter((path) => !existsSync(join(root, path)));
if (missing.length > 0) {
  console.error(`there is no ${[...new Set(missing)].join(', no ')}`);
  process.exit(1);
}

const scratch = mkdtempSync(join(tmpdir(), 'chanlist-mutants-'));
const left = new Set(['node_modules', '.git', '.test-build', 'dist']);
cpSync(root, scratch, {
  recursive: true,
  filter: (path) => !left.has(path.slice(root.length).split('/')[0]),
});
symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'));

/** Tests that fail without any change: they show nothing. */
const failing = new Set();
/** Tests that pass without any change. */
const passing = new Set();

/** Runs tests until one fails that does not always fail; returns its name, null if none does. `only`: runs this one. */
function firstFailure(tests, only = null) {
  return new Promise((resolve) => {
    const options = ['--test-reporter=tap'];
    if (only !== null) options.push(`--test-name-pattern=^${only.replace(/[^\w ]/g, '.')}$`);
    const child = spawn(process.execPath, ['scripts/test.mjs', ...tests, '--', ...options], {
      cwd: scratch,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let rest = '';
    let found = null;
    let isBuilt = false;
    const stop = (why) => {
      found ??= why;
      try {
        process.kill(-child.pid, 'SIGTERM');
      } catch {}
    };
    const timer = setTimeout(() => stop('no end within the time limit'), timeLimitMs);
    child.stdout.setEncoding('utf8').on('data', (part) => {
      const lines = (rest + part).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        const [, not, name] = /^ *(not )?ok \d+ - (.*)$/.exec(line) ?? [];
        if (name !== undefined) isBuilt = true;
        if (not !== undefined && !failing.has(name) && !name.endsWith('.mjs')) stop(name);
      }
    });
    child.on('close', () => {
      clearTimeout(timer);
      resolve(found ?? (isBuilt ? null : notBuilt));
    });
  });
}

/** The first test that fails with a changed text of a file, and not without the change; null if there is none. */
async function firstCaught(path, source, changed, tests) {
  // Those that start no process first.
  const isFast = (test) => /^test\/(?:service|accounts|export|fs|json|output)\b/.test(test);
  for (const stage of [tests.filter(isFast), tests.filter((test) => !isFast(test))]) {
    for (let found = stage.length > 0; found; ) {
      writeFileSync(path, changed);
      const failed = await firstFailure(stage);
      writeFileSync(path, source);
      found = failed !== null;
      if (!found) break;
      if (failed === notBuilt || passing.has(failed)) return failed;
      if ((await firstFailure(stage, failed)) === null) {
        passing.add(failed);
        return failed;
      }
      failing.add(failed);
      console.log(`ignored: fails without any change: ${failed}`);
    }
  }
  return null;
}

let caught = 0;
try {
  for (const { name, file, from, to, tests } of chosen) {
    const path = join(scratch, file);
    const source = readFileSync(path, 'utf8');
    const places = source.split(from).length - 1;
    if (places !== 1) {
      console.log(`OUTDATED  ${name}: ${places} places in ${file}`);
      continue;
    }
    const started = Date.now();
    const failed = await firstCaught(
      path,
      source,
      source.replace(from, () => to),
      tests,
    );
    const seconds = Math.round((Date.now() - started) / 1000);
    if (failed === null) console.log(`SURVIVED  ${name} (${seconds} s)`);
    // No test has noticed anything.
    else if (failed === notBuilt) console.log(`NOT BUILT ${name} (${seconds} s)`);
    else {
      caught++;
      console.log(`caught    ${name} (${seconds} s): ${failed}`);
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`${caught} of ${chosen.length} caught`);
process.exitCode = caught === chosen.length ? 0 : 1;
