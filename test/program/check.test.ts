import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { CheckedExport } from '../../src/export/check.ts';
import { command } from '../support/command.ts';
import { type ExportFixture, exportFixture } from '../support/exports.ts';
import { cleanEnvironment, launcher, type Result, run, testKey } from '../support/program.ts';

const id = { a: 'UCQepoH2nf3ukkkaqYVozBTg', empty: 'UCBnIMtiY96xCGC5WhYKhlGw' };

/** Runs `check`, without an account and with a network that must not be used. */
async function check(
  { folder, requests }: ExportFixture,
  args: readonly string[],
  input?: string,
): Promise<Result & { exports: CheckedExport[] }> {
  const before = requests.length;
  const result = await run(['check', ...args], { cwd: folder, ...(input !== undefined && { input }) });
  assert.equal(requests.length, before);
  return { ...result, exports: result.lines.map((line) => JSON.parse(line) as CheckedExport) };
}

const codes = ({ exports }: { exports: CheckedExport[] }): string[] =>
  exports.flatMap(({ problems }) => problems.map(({ code }) => code));

/** Runs a fix as it is printed, in a shell. Returns what the service charged. */
async function fix({ folder, sandbox }: ExportFixture, line: string): Promise<number> {
  const before = sandbox.account.credits;
  const service = { CHANLIST_BASE_URL: sandbox.baseUrl, CHANLIST_API_KEY: testKey };
  const shell = line.replace(/^chanlist /, `'${process.execPath}' '${launcher}' `);
  await promisify(execFile)('sh', ['-c', shell], { cwd: folder, env: cleanEnvironment(service) });
  return before - sandbox.account.credits;
}

/** All files with their content: what must not change. */
async function contents(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).sort();
  return await Promise.all(
    names.map(async (name) => {
      const stats = await stat(join(folder, name));
      const text = stats.isFile() ? await readFile(join(folder, name)) : '';
      return `${name} ${stats.mtimeMs} ${createHash('sha256').update(text).digest('hex')}`;
    }),
  );
}

test('check: one line per export, offline, without an account; nothing is written', async (t) => {
  const fixture = await exportFixture(t, { pageSize: 100 });
  await writeFile(join(fixture.folder, 'refs.txt'), '@size-250\n@empty\nPLdemo # a list\n');
  await fixture.run(['uploads', '@size-250', '@empty', '--output-dir', 'lists']);
  await fixture.run(['playlist', 'PLdemo', '--output-dir', 'lists']);
  const before = await contents(fixture.folder);
  const all = await check(fixture, ['lists', '--from', 'refs.txt', '--max-age', '36h']);
  assert.deepEqual([all.exit, all.stderr], [0, '']);
  const [list, , channel] = all.exports;
  assert.match(channel?.checked ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const [newest] = (await readFile(join(fixture.folder, `lists/${id.a}.ndjson`), 'utf8')).split('\n');
  assert.deepEqual(
    JSON.stringify(channel),
    JSON.stringify({
      file: `lists/${id.a}.ndjson`,
      reference: '@size-250',
      id: id.a,
      entries: 250,
      newest: (JSON.parse(newest ?? '') as { videoId: string }).videoId,
      checked: channel?.checked,
      failures: 0,
      credits: 3,
      missing: 0,
      problems: [],
    }),
  );
  assert.deepEqual([list?.id, list?.entries, list?.credits], ['PLdemo', 321, 4]);
  assert.deepEqual(await contents(fixture.folder), before);
  const quiet = await check(fixture, ['lists', '-q']);
  assert.deepEqual([quiet.exit, quiet.stdout, quiet.stderr], [0, '', '']);
  const json = await check(fixture, ['lists', '--json']);
  assert.deepEqual(json.exports[0], all.exports);
});

test('each problem is found, and goes away with its fix at its cost', async (t) => {
  const fixture = await exportFixture(t, { pageSize: 100 });
  const file = join(fixture.folder, `lists/${id.a}.ndjson`);
  await fixture.run(['uploads', '@size-250', '@empty', '--output-dir', 'lists']);
  const whole = await readFile(file, 'utf8');
  const breakages: readonly [codes: readonly string[], run: () => Promise<void>][] = [
    [['damaged', 'changed'], () => writeFile(file, whole.slice(0, -10))],
    [['duplicate', 'changed'], () => appendFile(file, `${whole.split('\n')[0]}\n`)],
    [['foreign', 'changed'], () => appendFile(file, `{"videoId":"x","channelId":"${id.empty}"}\n`)],
    [['changed'], () => writeFile(file, whole.replace(/title":"./, 'title":"~'))],
    [['no_file'], () => rm(file)],
  ];
  for (const [expected, act] of breakages) {
    await act();
    const bad = await check(fixture, ['lists', '-q']);
    assert.deepEqual([bad.exit, codes(bad)], [11, expected]);
    assert.equal(bad.stderr, 'chanlist: 1 of 2 exports has problems\n');
    const problem = bad.exports[0]?.problems[0];
    assert.ok(problem);
    assert.equal(await fix(fixture, problem.fix), problem.cost, problem.fix);
    const good = await check(fixture, ['lists']);
    assert.deepEqual([good.exit, codes(good)], [0, []], problem.fix);
    assert.equal(await readFile(file, 'utf8'), whole);
  }
});

test('an interrupted export is resumed by its fix', async (t) => {
  const fixture = await exportFixture(t, { pageSize: 100 });
  const stopped = await fixture.run(['uploads', '@size-250', '--output-dir', 'lists', '--max-credits', '1']);
  assert.equal(stopped.exit, 9);
  await writeFile(join(fixture.folder, 'refs.txt'), '@size-250\n');
  const bad = await check(fixture, ['lists', '--from', 'refs.txt']);
  const [problem] = bad.exports[0]?.problems ?? [];
  assert.deepEqual([bad.exit, codes(bad), problem?.cost], [11, ['interrupted'], 2]);
  assert.equal(await fix(fixture, problem?.fix ?? ''), 2);
  assert.deepEqual(codes(await check(fixture, ['lists'])), []);
});

test('--from expects references: by ID, by a known reference, by the handle in a file', async (t) => {
  const fixture = await exportFixture(t, { pageSize: 100 });
  await fixture.run(['uploads', '@size-250', '@empty', '--output-dir', 'lists']);
  const list = `https://example.com/channel/${id.empty}/videos\n@size-250\n@size-9\nPLdemo\n`;
  const found = await check(fixture, ['lists', '--from', '-'], list);
  assert.deepEqual([found.exit, found.stderr], [11, 'chanlist: 2 of 4 exports have problems\n']);
  const shown = found.exports.map(({ file, reference, problems }) => [file, reference, problems[0]?.code]);
  assert.deepEqual(shown, [
    [`lists/${id.empty}.ndjson`, `https://example.com/channel/${id.empty}/videos`, undefined],
    [`lists/${id.a}.ndjson`, '@size-250', undefined],
    [null, '@size-9', 'absent'],
    [null, 'PLdemo', 'absent'],
  ]);
  const fixes = found.exports.slice(2).map(({ problems }) => problems[0]?.fix);
  assert.deepEqual(fixes, [
    `chanlist uploads @size-9 --output-dir ${fixture.folder}/lists`,
    `chanlist playlist PLdemo --output-dir ${fixture.folder}/lists`,
  ]);
  // Exports that are not expected are checked, and no problem for that.
  const fewer = await check(fixture, ['lists', '--from', '-'], '@empty\n');
  assert.deepEqual([fewer.exit, fewer.lines.length], [0, 2]);
  await rm(join(fixture.folder, 'lists/.chanlist'), { recursive: true });
  const lost = await check(fixture, ['lists', '--from', '-'], `@size-250\n${id.empty}\n`);
  assert.deepEqual([lost.exit, codes(lost)], [0, []]);
});

test('usage errors print nothing on stdout', async (t) => {
  const fixture = await exportFixture(t);
  await writeFile(join(fixture.folder, 'refs.txt'), '@a\nnot one\n@b\nnor this\n');
  const cases: readonly [args: readonly string[], message: RegExp][] = [
    [[], /no file or folder is given/],
    [['none'], /none: there is no such file or folder/],
    [['.', '--max-age', '36'], /--max-age is '36': expected hours or days with their unit; e\.g\. 36h or 2d/],
    [['.', '--from', 'refs.txt'], /refs\.txt:2, refs\.txt:4: 2 are not channel or playlist references/],
    [['.', '-f', 'csv'], /--format is 'csv'/],
  ];
  for (const [args, message] of cases) {
    const { exit, stdout, stderr } = await check(fixture, args);
    assert.deepEqual([exit, stdout], [2, '']);
    assert.match(stderr, message);
  }
  const none = await check(fixture, ['.', '-q']);
  assert.deepEqual([none.exit, none.stdout], [2, '']);
  assert.match(
    none.stderr,
    /^chanlist: there are no exports in \.; check the path, and whether the folder is mounted/,
  );
});

test('at a terminal: a table, then each problem with its fix', async (t) => {
  const fixture = await exportFixture(t, { pageSize: 100 });
  const file = join(fixture.folder, 'PLx.ndjson');
  await writeFile(file, '{"videoId":"a"}\n{"videoId"\n');
  const { exit, stdout, stderr } = await command(['check', file, '--max-age', '2d'], { columns: 200 });
  assert.equal(exit, 11);
  const lines = stdout.split('\n');
  assert.match(lines[0] ?? '', /^file +reference +entries +checked +failures +credits +problems$/);
  assert.match(lines[2] ?? '', /PLx\.ndjson +PLx +\? +\? +0 +0 +damaged stale$/);
  const output = `--output-dir ${fixture.folder}`;
  assert.deepEqual(lines.slice(4), [
    `${file}: damaged: ${file}:2: not valid JSON`,
    `  chanlist playlist PLx ${output} --restart  # about 1 credit`,
    `${file}: stale: the last successful look is not known`,
    `  chanlist playlist PLx ${output} --restart  # about 1 credit`,
    '',
  ]);
  assert.equal(stderr, 'chanlist: 1 of 1 export has problems\n');
});
