/** The examples of docs/operations.md, its units and its container, run as systemd and docker would run them. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { codeBlocks, exampleOf } from '../support/documents.ts';
import { listen } from '../support/listen.ts';
import { copyPackage } from '../support/package.ts';
import { testKey } from '../support/program.ts';
import { missing, runCommand, workshop } from '../support/shell.ts';
import { testExamples } from './run-examples.ts';

const file = 'docs/operations.md';
const blocks = await codeBlocks(file);
const metrics = await exampleOf(file, 'cd ~/lists && chanlist check');
const requested: (string | undefined)[] = [];

testExamples(
  file,
  {
    'docker run': { run: async () => null },
    [metrics.text]: {
      run: async ({ folder, sh }) => {
        const first = await sh(metrics.text);
        await sh('echo @size-4 >> ~/lists/refs.txt');
        assert.equal((await sh(metrics.text)).exit, 0);
        assert.deepEqual(requested, ['/0', '/11']);
        assert.match(await readFile(join(folder, 'lists/problems.ndjson'), 'utf8'), /"code":"absent"/);
        assert.deepEqual((await readFile(join(folder, 'lists/chanlist.prom'), 'utf8')).split('\n').slice(1), [
          'chanlist_exit_code 0',
          'chanlist_credits{kind="confirmed"} 3',
          'chanlist_credits{kind="possibly_charged"} 0',
          '',
        ]);
        return first;
      },
    },
  },
  async ({ folder, sh }, t) => {
    const server = createServer(({ url }, response) => response.end(requested.push(url) && ''));
    await sh('mkdir lists; echo @size-250 | tee lists/refs.txt > part-00');
    await writeFile(join(folder, 'key-00.txt'), `${testKey}\n`);
    await sh('cd lists; chanlist uploads --from refs.txt --output-dir exports --summary nightly.json');
    return { PING_URL: await listen(t, server) };
  },
);

/** The units by name: each begins with a comment that names it. */
const [unitBlock] = blocks.filter(({ language }) => language === 'ini');
const units = new Map(
  (unitBlock?.lines.join('\n') ?? '')
    .split(/^# /m)
    .slice(1)
    .map((unit) => {
      const [name = '', ...lines] = unit.split('\n');
      return [name, lines] as const;
    }),
);

function settingOf(unit: string, name: string): string {
  const [line, ...others] = (units.get(unit) ?? []).filter((each) => each.startsWith(`${name}=`));
  assert.ok(line !== undefined && others.length === 0, `${unit}: ${name}`);
  return line.slice(name.length + 1);
}

/** A folder with a list of channels, and what a service runs in it. */
async function lists(t: TestContext) {
  const at = await workshop(t);
  const folder = join(at.folder, 'lists');
  await mkdir(folder);
  await writeFile(join(folder, 'refs.txt'), '@size-250\n');
  return { ...at, lists: folder };
}

suite('systemd', () => {
  test('accepts the units', { skip: missing('systemd-analyze') }, async (t) => {
    const { folder } = await workshop(t);
    assert.deepEqual([...units.keys()], ['chanlist.service', 'chanlist.timer', 'chanlist-failed.service']);
    for (const [name, unit] of units)
      await writeFile(join(folder, name), unit.join('\n').replace('/usr/local/bin/chanlist', '/bin/true'));
    const command = ['systemd-analyze', 'verify', ...[...units.keys()].map((name) => join(folder, name))];
    const env = { PATH: process.env.PATH ?? '' };
    const { exit, stderr } = await runCommand(command, { cwd: folder, env });
    assert.deepEqual([exit, stderr], [0, '']);
  });

  test('the service updates the exports', async (t) => {
    const { lists: cwd, bin, env, sh } = await lists(t);
    const first = await sh('cd lists && chanlist uploads --from refs.txt --output-dir exports');
    assert.deepEqual([first.exit, first.stderr], [0, '']);
    const command = settingOf('chanlist.service', 'ExecStart').replace(
      '/usr/local/bin/chanlist',
      join(bin, 'chanlist'),
    );
    const run = await runCommand(command.split(' '), {
      cwd,
      env: { ...env, PATH: `${bin}:/usr/local/bin:/usr/bin` },
    });
    assert.deepEqual([run.exit, run.stdout, run.stderr], [0, '', '']);
    const summary = JSON.parse(await readFile(join(cwd, 'nightly.json'), 'utf8'));
    assert.deepEqual([summary.exit, summary.counts.unchanged], [0, 1]);
  });

  test('a service that fails mails its last lines', async (t) => {
    const { folder, bin } = await workshop(t);
    assert.equal(settingOf('chanlist.service', 'OnFailure'), 'chanlist-failed.service');
    for (const name of ['journalctl', 'mail']) {
      const stub = `#!/bin/sh\necho ${name} "$@"${name === 'mail' ? '; cat' : ''}\n`;
      await writeFile(join(bin, name), stub, { mode: 0o755 });
    }
    // systemd's quoting of a command line is that of a shell here.
    const command = ['/bin/sh', '-c', settingOf('chanlist-failed.service', 'ExecStart')];
    const { exit, stdout } = await runCommand(command, {
      cwd: folder,
      env: { PATH: `${bin}:/usr/bin:/bin` },
    });
    const log = 'journalctl --unit chanlist.service --lines 20 --no-pager';
    assert.deepEqual([exit, stdout], [0, `mail -s chanlist has failed root\n${log}\n`]);
  });
});

test('a container exports with what the environment says, and keeps its ledger on the volume', async (t) => {
  const { lists: volume, bin, sandbox, grow } = await lists(t);
  await writeFile(join(volume, 'key.txt'), `${testKey}\n`, { mode: 0o600 });
  const copy = await copyPackage(t);
  const image = blocks.find(({ language }) => language === 'dockerfile')?.lines ?? [];
  const install = image.find((line) => line.startsWith('RUN npm '))?.slice(4) ?? '';
  const line = `npm pack --ignore-scripts && ${install.replace('/tmp/chanlist.tgz', './chanlist-*.tgz')}`;
  assert.equal((await runCommand(['sh', '-c', line], { cwd: copy.folder, env: copy.env })).exit, 0);
  const { text } = await exampleOf(file, 'docker run');
  const words = text.replaceAll('\\\n', ' ').split(/\s+/);
  const valuesOf = (flag: string) => words.flatMap((word, at) => (words[at - 1] === flag ? [word] : []));
  assert.deepEqual(valuesOf('--volume'), ['~/lists:/lists']);
  const variables = valuesOf('--env').map((word) => {
    const [name = '', value] = word.split('=');
    assert.ok(value !== undefined || name === 'CHANLIST_BASE_URL', word);
    return [name, (value ?? sandbox.baseUrl).replace('/lists', volume)] as const;
  });
  const env = { PATH: `${copy.prefix}/bin:${bin}:/bin`, HOME: '/nowhere', ...Object.fromEntries(variables) };
  for (const [more, entries, added] of [
    [[], 250, null],
    [['--update'], 251, 1],
  ] as const) {
    const command = [...words.slice(words.lastIndexOf('chanlist')), ...more];
    const { exit, stderr } = await runCommand(command, { cwd: volume, env });
    assert.deepEqual([exit, stderr], [0, '']);
    const { references } = JSON.parse(await readFile(join(volume, 'nightly.json'), 'utf8'));
    assert.deepEqual([references[0].entries, references[0].new], [entries, added]);
    grow(1);
  }
  assert.match((await readdir(join(volume, 'state/chanlist'))).join(), /^credits-\d{4}-\d\d\.ndjson$/);
});
