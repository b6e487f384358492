import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type FlagName, flagRow, flags, longName } from '../src/cli/flags.ts';
import { exitCodes } from '../src/errors.ts';
import { environment } from '../src/help/environment.ts';
import { fileRows } from '../src/help/files.ts';
import { computedFields } from '../src/output/fields.ts';
import { formatNames, formats } from '../src/output/formats.ts';
import { codeBlocks } from './support/shell.ts';

const root = process.cwd();
const readme = await readFile(join(root, 'README.md'), 'utf8');

test('the first two sh blocks hold one command each: the main job on the sandbox, and the tests', async () => {
  const blocks = (await codeBlocks('README.md')).filter(({ language }) => language === 'sh');
  assert.deepEqual(blocks[0]?.lines, ['npm ci && node bin/chanlist.js uploads @demo --sandbox']);
  assert.deepEqual(blocks[1]?.lines, ['npm test']);
});

/** The part of the README below a heading, to the next heading of its level. */
function section(heading: string): string {
  const [marks = ''] = heading.split(' ');
  const [, rest = ''] = readme.split(`\n${heading}\n`);
  return rest.split(new RegExp(`\n#{1,${marks.length}} `))[0] ?? '';
}

test('both tables of exit codes have every code of the program, the one for cron every failure', () => {
  const codes = Object.keys(exitCodes);
  const named = (text: string): string[] =>
    [...text.matchAll(/\| ((?:\d+(?:, )?)+) (?=\|)/g)].flatMap(([, code = '']) => code.split(', '));
  assert.deepEqual(new Set(named(section('## Exit codes'))), new Set(codes));
  const failures = new Set(codes.filter((code) => code !== '0'));
  assert.deepEqual(new Set(named(section('### When mail arrives'))), failures);
});

/** The commands that a cell of the README names; `auth` stands for all of its actions. */
function commandsIn(cell: string): string[] {
  const actions = ['login', 'status', 'list', 'switch', 'logout'].map((action) => `auth ${action}`);
  return [...cell.matchAll(/`([a-z ]+)`/g)].flatMap(([, name = '']) => (name === 'auth' ? actions : [name]));
}

test('the reference has every flag, with the commands that take it, and no other', () => {
  const service = ['resolve', 'search', 'uploads', 'latest', 'playlist'];
  const [all = '', some = ''] = section('### Flags').split('Some commands take more');
  const pairs = (text: string, column: number, common: readonly string[]): string[] =>
    [...text.matchAll(/^\| (`-.*) \|$/gm)].flatMap(([, row = '']) => {
      const cells = row.split(' | ');
      const names = [...(cells[0] ?? '').matchAll(/`(--[a-z][\w-]*)/g)].map(([, name]) => name);
      const commands = [...common, ...commandsIn(cells[column] ?? '')];
      return names.flatMap((name) => commands.map((command) => `${command} ${name}`));
    });
  const shown = [...pairs(all, 2, service), ...pairs(some, 1, [])];
  const taken = (Object.keys(flags) as FlagName[]).flatMap((name) =>
    flagRow(name).commands.map((command) => `${command} ${longName(name)}`),
  );
  assert.deepEqual(shown.sort(), taken.sort());
});

test('the settings name every variable of the program, and no other', () => {
  const variables = environment.flatMap(([all]) => all.split(', '));
  const named = [...section('## Settings').matchAll(/\b[A-Z]{2,}(?:_[A-Z]+)*\b/g)].map(([name]) => name);
  assert.deepEqual(new Set(named), new Set(variables));
});

test('the reference has every format with its extensions, and every file', () => {
  const rows = [...section('### Formats').matchAll(/^\| `(\w+)` \| (.*?) ?\| /gm)].map(
    ([, name, cell = '']) => [name, [...cell.matchAll(/`\.(\w+)`/g)].map(([, extension]) => extension)],
  );
  assert.deepEqual(
    rows,
    formatNames.map((name) => [name, formats[name].extensions]),
  );
  const fields = [...section('### Formats').matchAll(/^\| `(@\w+)`/gm)].map(([, name]) => name);
  assert.deepEqual(fields.sort(), [...computedFields].sort());
  const files = section('## Files');
  for (const path of fileRows
    .flatMap(([paths]) => paths.split(', '))
    .filter((path) => !path.startsWith('a ')))
    assert.ok(files.includes(`\`${path}\``), path);
});

test('the links of the README exist', async () => {
  const targets = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  assert.ok(targets.length >= 6);
  for (const target of targets) {
    if (target.startsWith('#'))
      assert.match(readme.toLowerCase(), new RegExp(`^##+ ${target.slice(1).replaceAll('-', ' ')}$`, 'm'));
    else assert.ok((await stat(join(root, target))).isFile(), target);
  }
});

test('CONTRIBUTING.md names files and scripts that are there', async () => {
  const text = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8');
  const paths = [...text.matchAll(/\b(?:bin|src|test|scripts|docs|bench)\/[\w./-]*\w\/?/g)].map(
    ([path]) => path,
  );
  assert.ok(paths.length >= 30);
  for (const path of new Set(paths)) await assert.doesNotReject(stat(join(root, path)), path);
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: object };
  for (const [, name = ''] of text.matchAll(/`npm (?:run )?([\w:]+)`/g))
    assert.ok(name === 'ci' || Object.hasOwn(scripts, name), `npm run ${name}`);
});
