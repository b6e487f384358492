import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type FlagName, flags, longName } from '../src/cli/flags.ts';
import { exitCodes } from '../src/errors.ts';
import { environment } from '../src/help/environment.ts';
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

test('the reference has every flag and variable of the program, and no other', () => {
  const names = (Object.keys(flags) as FlagName[]).map(longName);
  const shown = [...section('### Flags').matchAll(/`(--[a-z][\w-]*)`/g)].map(([, name]) => name);
  assert.deepEqual(new Set(shown), new Set(names));
  const variables = environment.flatMap(([all]) => all.split(', '));
  const named = [...section('## Settings').matchAll(/\b[A-Z]{2,}(?:_[A-Z]+)*\b/g)].map(([name]) => name);
  assert.deepEqual(new Set(named), new Set(variables));
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
