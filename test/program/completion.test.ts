import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { collect } from '../support/collect.ts';
import { cleanEnvironment, launcher, run, temporaryFolder } from '../support/program.ts';
import { missing } from '../support/shell.ts';
import { writeStore } from '../support/stored-accounts.ts';

const scripts = { bash: 'chanlist.bash', zsh: '_chanlist', fish: 'chanlist.fish' } as const;

const script = (shell: keyof typeof scripts): string => join(process.cwd(), 'completions', scripts[shell]);

const mark = 'NEXT-LINE';

/** Asks a real shell what it offers for each line; a word may be named in part (`title` of `videoId,title`). */
const offers: Readonly<
  Record<'bash' | 'fish', (lines: readonly string[], home: string) => Promise<string[]>>
> = {
  bash: async (all, home) => {
    const asks = all.map((line) => {
      // As bash splits: at white space; =, : and @ are words of their own.
      const words = line.split(/([\s=:@])/).filter((word) => word.trim() !== '');
      if (/\s$/.test(line)) words.push('');
      return `COMPREPLY=()
        COMP_LINE='${line}' COMP_POINT=${line.length} COMP_CWORD=${words.length - 1}
        COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
        _chanlist
        printf '%s\n' "\${COMPREPLY[@]}" ${mark}`;
    });
    const program = [`source '${script('bash')}'`, ...asks].join('\n');
    return await lines('bash', ['--norc', '--noprofile', '-c', program], home);
  },
  fish: async (all, home) => {
    const asks = all.map((line) => `complete -C '${line}'; echo ${mark}`);
    const offered = await lines(
      'fish',
      ['--no-config', '-c', `source '${script('fish')}'; ${asks.join('; ')}`],
      home,
    );
    return offered.map((one) => one.split('\t')[0] ?? '');
  },
};

async function lines(command: string, args: readonly string[], home: string): Promise<string[]> {
  const env = cleanEnvironment({
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    TERM: 'dumb',
    LC_ALL: 'C.UTF-8',
  });
  env.PATH = `${join(home, '.bin')}:${env.PATH}`;
  const child = spawn(command, args, { cwd: home, env, timeout: 20_000, stdio: ['ignore', 'pipe', 'pipe'] });
  const { stdout, stderr } = await collect(child);
  if (stderr !== '') throw new Error(stderr);
  return stdout.split('\n').filter((line) => line !== '');
}

const commandNames = 'auth check completion credits help latest playlist resolve search serve show uploads';
const computed = '_reference _seconds _views';
const videoFields =
  'videoId title channelId channelTitle channelHandle lengthText viewCountText publishedTimeText members_only ' +
  `thumbnails index ${computed}`;
const otherFields = videoFields.replace(/videoId |index /g, '');
const statusFlags =
  '--base-url --format --help --json --key-file --max-wait --namespace --ndjson --no-color --profile --quiet ' +
  '--timeout --verbose';

const faults = '429 503 reset truncate garbage loop expire feed-404 feed-empty';

/** Lines without `chanlist `, and all that is offered for the last word; of `a,b`, `a:b` and `--a=b`, for what follows. */
const cases: readonly (readonly [line: string, words: string])[] = [
  ['', commandNames],
  ['up', 'uploads'],
  ['--json --base-url http://localhost:8787 up', 'uploads'],
  ['check --f', '--format --from'],
  ['check --format ', 'csv json ndjson table'],
  ['show a.ndjson re', 'refs.txt'],
  ['auth ', 'list login logout status switch'],
  ['auth log', 'login logout'],
  ['auth status --', statusFlags],
  ['auth switch ', 'home work'],
  ['auth logout w', 'work'],
  ['uploads --profile ', 'home work'],
  ['--profile=h', 'home'],
  ['completion ', 'bash zsh fish'],
  ['help e', 'exit-codes environment'],
  ['uploads ', ''],
  ['uploads --format ', 'table json ndjson csv id'],
  ['uploads --format=js', 'json'],
  ['resolve --fields ', `channel_id resolved_from ${computed}`],
  ['uploads @demo --fields ', videoFields],
  ['uploads --fields videoId,index,', otherFields],
  ['uploads --fields=videoId,ti', 'title'],
  ['uploads --fields videoId,_', computed],
  ['latest --fields pub', 'published'],
  ['uploads --retries 3 --upd', '--update'],
  ['playlist --upd', '--update'],
  ['latest --upd', ''],
  ['serve --fail ', faults.replace(/(?= |$)/g, ':0.1')],
  ['serve --fail reset:', '0.1'],
  ['credits --by ', 'day command reference'],
  ['uploads -o re', 'refs.txt'],
  ['uploads --output-dir ', 'lists'],
];

/** What is offered for each line, without signs that wait for a value and without hidden files, sorted. */
async function offered(shell: keyof typeof offers, home: string, ...all: string[]): Promise<string[][]> {
  const answers: string[][] = [];
  let words = new Set<string>();
  for (const word of await offers[shell](all, home)) {
    if (word === mark) {
      answers.push([...words].sort());
      words = new Set();
    } else if (!word.startsWith('.')) words.add(word.replace(/[= /]+$/, ''));
  }
  assert.equal(answers.length, all.length);
  return answers;
}

test('completion prints the file that is shipped', async () => {
  for (const shell of Object.keys(scripts) as (keyof typeof scripts)[]) {
    const { exit, stdout, stderr } = await run(['completion', shell]);
    assert.deepEqual([exit, stderr, stdout], [0, '', await readFile(script(shell), 'utf8')]);
  }
});

test('zsh: the script is valid', { skip: missing('zsh') }, () => {
  assert.equal(spawnSync('zsh', ['-n', script('zsh')]).status, 0);
});

test('zsh and fish say what each value means', async () => {
  const [zsh, fish] = [await readFile(script('zsh'), 'utf8'), await readFile(script('fish'), 'utf8')];
  for (const [word, meaning] of [
    ['videoId', 'ID of the video'],
    ['day', 'the sums of each day'],
    ['expire:0.1', 'refuses a valid token with 410'],
  ]) {
    assert.match(zsh, new RegExp(`'${word?.replace(':', '.:')}[[:]${meaning}`), word);
    assert.ok(fish.includes(`${word}\\\\t\\'${meaning}`), word);
  }
});

for (const shell of ['bash', 'fish'] as const)
  test(`${shell}: offers commands, flags and values, and no others`, { skip: missing(shell) }, async (t) => {
    const home = await temporaryFolder(t);
    await writeFile(join(home, 'refs.txt'), '@demo\n');
    await mkdir(join(home, 'lists'));
    // What the profiles are asked of.
    await mkdir(join(home, '.bin'));
    const script = `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`;
    await writeFile(join(home, '.bin', 'chanlist'), script, { mode: 0o755 });
    const account = { baseUrl: 'https://api.example.com', namespace: 'media', key: 'sk_0123' };
    writeStore(join(home, '.config'), { work: account, home: account }, null);
    const answers = await offered(shell, home, ...cases.map(([line]) => `chanlist ${line}`));
    for (const [index, [line, words]] of cases.entries()) {
      // Shells differ in how much of the word they name again.
      const typed = /:$/.test(line) ? /^.*[,=:]/ : /^.*[,=]/;
      const last = answers[index]?.map((word) => word.replace(typed, '')).sort();
      assert.deepEqual(last, words.split(' ').filter(Boolean).sort(), `${shell}: ${line}`);
    }
  });
