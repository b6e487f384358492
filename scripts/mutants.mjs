/**
 * Holds the tests to random changes of the program: `node scripts/mutants.mjs FILE… [--count N] [--seed N]`. In a scratch
 * copy of the working tree, one operator, constant or call of a file at a time is changed (without --count: every one);
 * the tests of its folder have to fail. Prints the changes that no test notices.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { transformSync } from 'esbuild';
import jsTokens from 'js-tokens';

const root = fileURLToPath(new URL('../', import.meta.url));
const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: 'Infinity' }, seed: { type: 'string', default: '1' } },
});

/** Tests of a folder of src besides test/FOLDER. */
const otherTests = {
  accounts: ['test/program/credits.test.ts', 'test/program/auth.test.ts'],
  export: ['test/commands', 'test/program', 'test/nights'],
  fs: ['test/faults', 'test/program/export.test.ts'],
  run: ['test/commands', 'test/program', 'test/nights'],
  service: ['test/program/failures.test.ts', 'test/program/listing.test.ts'],
};

const replacements = {
  ...{ '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  ...{ '&&': '||', '||': '&&', '??': '&&', '+': '-', '-': '+', '!': '', true: 'false', false: 'true' },
};

/** Every change of a file: the JavaScript that it becomes, and the line that is changed, before and after. */
function mutantsOf(file) {
  const { code } = transformSync(readFileSync(file, 'utf8'), { loader: 'ts', target: 'esnext' });
  const found = [];
  const change = (from, to, text) => {
    const start = code.lastIndexOf('\n', from - 1) + 1;
    const end = code.indexOf('\n', from);
    const line = `${code.slice(start, from)}${text}${code.slice(to, end)}`;
    found.push({
      file,
      what: `${code.slice(start, end).trim()}  ->  ${line.trim()}`,
      code: code.slice(0, from) + text + code.slice(to),
    });
  };
  let at = 0;
  for (const { type, value } of jsTokens(code)) {
    if (Object.hasOwn(replacements, value)) change(at, at + value.length, replacements[value]);
    else if (type === 'NumericLiteral') change(at, at + value.length, `(${value} + 1)`);
    at += value.length;
  }
  for (const { index, 0: call } of code.matchAll(/(?<=^ +)(?:await )?[\w.#?]+\(.*\);$/gm))
    if (!/^(?:await )?super\(/.test(call)) change(index, index + call.length, ';');
  return found;
}

/** So many of them, the same ones for the same seed. */
function chosen(mutants, count, seed) {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  const ordered = mutants.map((mutant) => [random(), mutant]).sort(([a], [b]) => a - b);
  return ordered.slice(0, count).map(([, mutant]) => mutant);
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
  const passes = (tests) => {
    const options = { cwd: scratch, stdio: 'ignore', timeout: 600_000 };
    return spawnSync(process.execPath, ['scripts/test.mjs', ...tests], options).status === 0;
  };
  const stagesOf = (file) => {
    const folder = file.split('/')[1];
    return [[`test/${folder}`], otherTests[folder] ?? []].filter(([first]) => first && existsSync(first));
  };
  const sound = new Set();
  /** Whether tests fail with a changed file; throws if they do without the change. */
  const notice = (file, code, tests) => {
    writeFileSync(join(scratch, file), code);
    const isNoticed = !passes(tests);
    cpSync(join(root, file), join(scratch, file));
    if (isNoticed && !sound.has(tests[0]) && !passes(tests))
      throw new Error(`without any change, a test of ${tests.join(', ')} fails`);
    if (isNoticed) sound.add(tests[0]);
    return isNoticed;
  };
  let survivors = 0;
  const mutants = chosen(files.flatMap(mutantsOf), Number(values.count), Number(values.seed));
  for (const { file, what, code } of mutants) {
    const isSurvivor = !stagesOf(file).some((tests) => notice(file, code, tests));
    if (isSurvivor) survivors++;
    console.log(`${isSurvivor ? 'SURVIVED' : 'noticed '} ${file}: ${what}`);
  }
  console.log(`${mutants.length - survivors} of ${mutants.length} noticed`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
