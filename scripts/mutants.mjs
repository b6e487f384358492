/**
 * Holds the tests to changes of the program: `node scripts/mutants.mjs [FILE or FOLDER of src]…`. Makes each change of
 * mutants-list.mjs alone, in a scratch copy of the working tree: its tests have to fail. Prints what none notices.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import list from './mutants-list.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const wanted = process.argv.slice(2);

/** The changes of a list, in groups: `FILE: TESTS`, then a line `text --> other text` each. The text is there once. */
function* changes() {
  let file = '';
  let tests = [];
  for (const line of list.split('\n')) {
    const [, name, names] = /^(src\S+): (.+)$/.exec(line) ?? [];
    if (name !== undefined) [file, tests] = [name, names.split(' ')];
    else if (line.trim() !== '') yield { file, tests, change: line.trim() };
  }
}

const scratch = mkdtempSync(join(tmpdir(), 'chanlist-mutants-'));
process.chdir(root);
try {
  const left = new Set(['node_modules', '.git', '.test-build', 'dist']);
  cpSync(root, scratch, {
    recursive: true,
    filter: (path) => !left.has(path.slice(root.length).split('/')[0]),
  });
  symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'));
  const passing = new Map();
  const passes = (tests) => {
    const options = { cwd: scratch, stdio: 'ignore', timeout: 600_000 };
    return spawnSync(process.execPath, ['scripts/test.mjs', ...tests], options).status === 0;
  };
  const outcome = ({ file, tests, change }) => {
    const [from, to = ''] = change.split(/ -->(?: |$)/);
    const source = readFileSync(file, 'utf8');
    if (source.split(from).length !== 2) return 'NOT THERE';
    const key = tests.join(' ');
    if (!passing.has(key)) passing.set(key, passes(tests));
    if (!passing.get(key)) return 'BROKEN';
    writeFileSync(
      join(scratch, file),
      source.replace(from, () => to),
    );
    const isKilled = !passes(tests);
    writeFileSync(join(scratch, file), source);
    return isKilled ? 'killed' : 'SURVIVED';
  };
  for (const mutant of changes()) {
    if (wanted.length > 0 && !wanted.some((path) => mutant.file.startsWith(path))) continue;
    const result = outcome(mutant);
    if (result !== 'killed') process.exitCode = 1;
    console.log(`${result.padEnd(9)} ${mutant.file}: ${mutant.change}`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
