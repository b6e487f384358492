import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { collect } from '../support/collect.ts';
import { cleanEnvironment, run, temporaryFolder } from '../support/program.ts';
import { writeRawStore, writeStore } from '../support/stored-accounts.ts';

const scripts = { bash: 'chanlist.bash', zsh: '_chanlist', fish: 'chanlist.fish' } as const;
type Shell = keyof typeof scripts;
const shells = Object.keys(scripts) as Shell[];

const script = (shell: Shell): string => join(process.cwd(), 'completions', scripts[shell]);

/** Between the completions of two lines. */
const mark = 'NEXT-LINE';

/** Asks a real shell what it offers for each line; a word may be named in part (`title` of `videoId,title`). */
const offers: Readonly<Record<Shell, (lines: readonly string[], home: string) => Promise<string[]>>> = {
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
  zsh: async (all, home) => {
    await writeFile(join(home, '.zshrc'), zshrc);
    return await lines('zsh', ['-fc', zshHarness, 'zsh', ...all], home);
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

/** Types lines and the tab key into an interactive zsh, and prints each word that it offers. */
const zshHarness = `
zmodload zsh/zpty
zpty -b z zsh -i
zpty -r z out '*READY-NOW*'
for line; do
  zpty -w -n z $'\\x15'"$line"$'\\t'
  zpty -r z out '*OFFERS-DONE*'
  print -r -- "$out" | tr -d '\\r' | grep -o 'OFFER:.*:END' | sed -e 's/^OFFER://' -e 's/:END$//'
  print ${mark}
done
zpty -d z
`;

/** Of that zsh: what the completion system would show goes out as lines of their own. */
const zshrc = `
fpath=('${join(process.cwd(), 'completions')}' $fpath)
autoload -U compinit; compinit -u -D
bindkey '^I' complete-word
bindkey '^U' kill-whole-line
zle-line-init() { print READY-NOW }; zle -N zle-line-init
compadd() {
  local -a kept; zparseopts -E -a kept O: A: D:
  if (( $#kept )); then builtin compadd "$@"; return; fi
  local -a words; builtin compadd -A words "$@"
  (( $#words )) && print -rl -- "" "OFFER:"$^words":END"
  builtin compadd "$@"
}
finish() {
  [[ $compstate[nmatches] -eq 1 && -z $compstate[insert] ]] && print 'OFFER:shown, not inserted:END'
  print OFFERS-DONE
  comppostfuncs=(finish)
}
comppostfuncs=(finish)
`;

async function lines(command: string, args: readonly string[], home: string): Promise<string[]> {
  const env = cleanEnvironment({ HOME: home, TERM: 'dumb', LC_ALL: 'C.UTF-8' });
  const options = { cwd: home, env, timeout: 20_000 };
  const { stdout, stderr } = await collect(
    spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  if (stderr !== '') throw new Error(stderr);
  return stdout.split('\n').filter((line) => line !== '');
}

/** A home with a store and some files; null, and the test skipped, where the shell is not installed. */
async function homeFor(t: TestContext, shell: Shell): Promise<string | null> {
  if (spawnSync(shell, ['--version']).error !== undefined) {
    assert.notEqual(process.env.CI, 'true', `${shell} has to be installed`);
    t.skip(`${shell} is not installed`);
    return null;
  }
  const home = await temporaryFolder(t);
  const profile = { baseUrl: 'https://api.example.com', namespace: 'media', key: 'sk_never_shown_9876' };
  writeStore(join(home, '.config'), { work: profile, wide: profile, home: profile }, 'work');
  await writeFile(join(home, 'refs.txt'), '@demo\n');
  await mkdir(join(home, 'lists'));
  return home;
}

const commandNames = 'auth check completion credits help latest playlist resolve search serve show uploads';
const computed = '@reference @seconds @views @published';
const videoFields =
  'videoId title channelId channelTitle channelHandle lengthText viewCountText publishedTimeText members_only ' +
  `thumbnails index ${computed}`;
const otherFields = videoFields.replace(/videoId |index /g, '');
const statusFlags =
  '--base-url --format --help --json --key-file --max-wait --namespace --ndjson --no-color --profile --quiet ' +
  '--retries --timeout --verbose';

/** Lines without `chanlist `, and all that is offered for the last word; of `a,b` and `--a=b`, for what follows. */
const cases: readonly (readonly [line: string, words: string])[] = [
  ['', commandNames],
  ['up', 'uploads'],
  ['--profile work up', 'uploads'],
  ['--json --base-url http://localhost:8787 up', 'uploads'],
  ['check --f', '--format --from'],
  ['check --format ', 'csv json ndjson table'],
  ['show re', 'refs.txt'],
  ['show --fie', '--fields'],
  ['auth ', 'list login logout status switch'],
  ['auth log', 'login logout'],
  ['auth switch w', 'wide work'],
  ['auth status --', statusFlags],
  ['completion ', 'bash zsh fish'],
  ['completion bash ', ''],
  ['help e', 'exit-codes environment'],
  ['uploads ', ''],
  ['uploads --format ', 'table json ndjson csv id'],
  ['uploads @demo -f n', 'ndjson'],
  ['uploads --format=js', 'json'],
  ['latest --profile w', 'wide work'],
  ['uploads --profile=w', 'wide work'],
  ['--profile ho', 'home'],
  ['resolve --fields ', `channel_id resolved_from ${computed}`],
  ['uploads @demo --fields ', videoFields],
  ['uploads @demo --fields tit', 'title'],
  ['uploads --fields videoId,index,', otherFields],
  ['uploads --fields videoId,ti', 'title'],
  ['uploads --fields videoId,@', computed],
  ['uploads --retries 3 --upd', '--update'],
  ['resolve --limi', ''],
  ['playlist --upd', ''],
  ['serve --po', '--port'],
  ['serve --prof', ''],
  ['serve --js', ''],
  ['uploads -o re', 'refs.txt'],
  ['uploads --output-dir ', 'lists'],
  ['uploads --from re', 'refs.txt'],
  ['resolve --key-file re', 'refs.txt'],
  ['uploads --timeout ', ''],
];

/** What is offered for each line, without signs that wait for a value and without hidden files, sorted. */
async function offered(shell: Shell, home: string, ...all: string[]): Promise<string[][]> {
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

for (const shell of shells) {
  test(`${shell}: commands, flags and values, and no others`, async (t) => {
    const home = await homeFor(t, shell);
    if (home === null) return;
    const answers = await offered(shell, home, ...cases.map(([line]) => `chanlist ${line}`));
    for (const [index, [line, words]] of cases.entries()) {
      // Shells differ in how much of the word they name again.
      const last = answers[index]?.map((word) => word.replace(/^.*[,=]/, '')).sort();
      const wanted = words === '' ? [] : words.split(' ').sort();
      assert.deepEqual(last, wanted, `${shell}: ${line}`);
    }
  });

  test(`${shell}: a store that is damaged does no harm`, async (t) => {
    const home = await homeFor(t, shell);
    if (home === null) return;
    for (const text of ['', '{"version":1,"active":nu']) {
      writeRawStore(join(home, '.config'), text);
      assert.deepEqual(await offered(shell, home, 'chanlist uploads --profile '), [[]], text);
    }
  });

  test(`${shell}: chanlist completion prints the file, which can be evaluated`, async (t) => {
    const { exit, stdout, stderr } = await run(['completion', shell], { cwd: await temporaryFolder(t) });
    assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' });
    assert.equal(stdout, await readFile(script(shell), 'utf8'));
    const home = await homeFor(t, shell);
    if (home === null) return;
    const program = {
      bash: `eval "$(cat '${script('bash')}')"; complete -p chanlist`,
      zsh: `autoload -U compinit; compinit -u -D; eval "$(cat '${script('zsh')}')"; print $_comps[chanlist]`,
      fish: `cat '${script('fish')}' | source; complete -c chanlist | head -n 1`,
    }[shell];
    const args = { bash: ['--norc', '-c'], zsh: ['-fc'], fish: ['--no-config', '-c'] }[shell];
    const said = await lines(shell, [...args, program], home);
    const registered = {
      bash: /^complete .*-F _chanlist chanlist$/,
      zsh: /^_chanlist$/,
      fish: /^complete (?:.* )?chanlist /,
    };
    assert.match(said.join('\n'), registered[shell]);
  });
}

test('an unknown shell is a usage error', async () => {
  const { exit, stdout, stderr } = await run('completion tcsh');
  assert.deepEqual({ exit, stdout }, { exit: 2, stdout: '' });
  assert.equal(stderr, "chanlist: error: the shell is 'tcsh'; expected one of bash, zsh, fish\n");
});
