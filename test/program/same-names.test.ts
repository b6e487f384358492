import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type FlagName, flagRow, flags, flagsOf, longName, sharedFlagNames } from '../../src/cli/flags.ts';
import { helpText, wholeProgram } from '../../src/cli/help-text.ts';
import { exitCodes } from '../../src/errors.ts';
import { environment } from '../../src/help/environment.ts';

const variables = environment.flatMap(([names]) => names.split(', '));
const codes = Object.keys(exitCodes);

/** The paths of all commands and actions: `uploads`, `auth login`. */
async function paths(): Promise<string[]> {
  const { commands } = await wholeProgram();
  return commands.flatMap((command) =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.map((action) => `${command.name()} ${action.name()}`),
  );
}

/** Throws if the text does not hold a name as a word of its own. */
function names(text: string, name: string, where: string): void {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  assert.match(text, new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`), `${where} does not name ${name}`);
}

test('every flag is taken by a command, and named in its help, in the man page and in the completions', async () => {
  const man = (await readFile('man/chanlist.1', 'utf8')).replaceAll('\\-', '-');
  const known = await paths();
  for (const name of Object.keys(flags) as FlagName[]) {
    const { commands } = flagRow(name);
    if (commands.length > 0) names(man, longName(name), 'the man page');
    for (const path of commands) assert.ok(known.includes(path), path);
  }
  const scripts = await Promise.all(
    ['chanlist.bash', '_chanlist', 'chanlist.fish'].map((file) => readFile(`completions/${file}`, 'utf8')),
  );
  const program = (await helpText(null)) ?? '';
  for (const name of sharedFlagNames) names(program, longName(name), 'the help');
  for (const path of known) {
    const help = (await helpText(path)) ?? '';
    for (const name of flagsOf(path)) {
      names(help, longName(name), `the help of ${path}`);
      for (const script of scripts) assert.ok(script.includes(longName(name).slice(2)), longName(name));
    }
    const shown = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag);
    const taken = flagsOf(path).map(longName);
    assert.deepEqual(shown.sort(), [...taken, '--help'].sort(), path);
  }
});

for (const file of ['man/chanlist.1', 'README.md']) {
  test(`${file} names every command, exit code and environment variable`, async () => {
    const text = (await readFile(file, 'utf8')).replaceAll('\\-', '-');
    for (const path of await paths()) names(text, path.replace(/^auth /, ''), file);
    for (const word of [...variables, ...codes]) names(text, word, file);
  });
}

test('no text exceeds a terminal of 60 columns, and none breaks a word', async () => {
  const known = [null, 'auth', ...(await paths()), 'exit-codes', 'formats', 'environment'];
  for (const topic of known) {
    const narrow = (await helpText(topic, 60)) ?? '';
    const wide = (await helpText(topic)) ?? '';
    for (const line of narrow.split('\n')) assert.ok(line.length <= 60, `${topic}: ${line}`);
    for (const line of wide.split('\n')) assert.ok(line.length <= 80, `${topic}: ${line}`);
    const words = (text: string): string[] =>
      text.split(/\s+/).filter((word) => word !== '\\' && word !== '#');
    assert.deepEqual(words(narrow), words(wide), `${topic}`);
  }
});
