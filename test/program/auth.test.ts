import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { collect } from '../support/collect.ts';
import { command } from '../support/command.ts';
import { watchForKey } from '../support/key-watch.ts';
import { cleanEnvironment, launcher, temporaryFolder } from '../support/program.ts';
import { type Reply, type ScriptedService, scriptedService } from '../support/service.ts';

const key = 'sk_live_0123456789wxyz';

const resolved = { body: { channel_id: 'UC0123456789abcdefghijkl', resolved_from: 'x' } };
const missing: Reply = { status: 404, body: { detail: 'Not Found' } };
const html = (status: number): Reply => ({
  status,
  headers: { 'content-type': 'text/html' },
  text: '<html>Forbidden</html>',
});
const json = (status: number): Reply => ({ status, body: { detail: 'no' } });

/** A service that sends one response to the right key and another to all others. */
function keyed(t: TestContext, own: Reply, other: Reply): Promise<ScriptedService> {
  return scriptedService(t, ({ headers }) => (headers.authorization === `Bearer ${key}` ? own : other));
}

interface Case {
  readonly name: string;
  readonly own: Reply;
  readonly other?: Reply;
  readonly exit: 0 | 3 | 8;
  /** Requests sent. */
  readonly requests: number;
  readonly says?: RegExp;
}

const wrongPlace = /--namespace/;
const cases: Case[] = [
  { name: '200 with a channel_id', own: resolved, exit: 0, requests: 1 },
  { name: '404, and 401 to an invalid key', own: missing, other: json(401), exit: 0, requests: 2 },
  { name: '404, and 403 with JSON to it', own: missing, other: json(403), exit: 0, requests: 2 },
  { name: '402', own: json(402), exit: 0, requests: 1, says: /no credits \(402\)/ },
  { name: '401', own: json(401), exit: 3, requests: 1 },
  { name: '401 with HTML', own: html(401), exit: 3, requests: 1 },
  { name: '403 with JSON', own: json(403), exit: 3, requests: 1 },
  { name: '403 with HTML', own: html(403), exit: 8, requests: 1, says: /403/ },
  { name: '404, and 403 with HTML', own: missing, other: html(403), exit: 8, requests: 2, says: /404.*403/ },
  { name: '404 to both', own: missing, other: missing, exit: 8, requests: 2, says: /404.*invalid key/ },
  { name: '404 with HTML to both', own: html(404), other: html(404), exit: 8, requests: 2, says: wrongPlace },
  { name: '404, and 200 to any key', own: missing, other: resolved, exit: 8, requests: 2, says: wrongPlace },
  { name: '404, and 402 to any key', own: missing, other: json(402), exit: 8, requests: 2, says: wrongPlace },
  { name: '200 without a channel_id', own: { body: {} }, exit: 8, requests: 1, says: /200/ },
  { name: '200 with a number', own: { body: { channel_id: 5 } }, exit: 8, requests: 1, says: /200/ },
  { name: '200 with HTML', own: html(200), exit: 8, requests: 1, says: /not JSON/ },
  { name: '422', own: json(422), exit: 8, requests: 1, says: /422/ },
  {
    name: 'a redirect',
    own: { status: 302, headers: { location: 'https://elsewhere.example/login' } },
    exit: 8,
    requests: 1,
    says: /302.*elsewhere\.example/,
  },
];

test('verification: a key is stored only if the responses prove it, and auth status says the same', async (t) => {
  for (const each of cases) await t.test(each.name, (t) => verify(t, each));
});

async function verify(t: TestContext, { own, other = json(401), exit, requests, says }: Case): Promise<void> {
  const service = await keyed(t, own, other);
  const env = { XDG_CONFIG_HOME: await temporaryFolder(t) };
  const login = await command(['auth', 'login', '--base-url', service.url], { env, stdin: `${key}\n` });
  assert.equal(login.exit, exit, login.stderr);
  assert.equal(service.seen.length, requests);
  if (says !== undefined) assert.match(login.stderr, says);
  assert.doesNotMatch(login.stderr, /sk_live/);
  assert.deepEqual(await readdir(env.XDG_CONFIG_HOME), exit === 0 ? ['chanlist'] : []);
  if (exit !== 0) assert.match(login.stderr, /^chanlist: error: [^\n]*nothing is stored[^\n]*\n$/);
  if (exit === 8) assert.match(login.stderr, /the address or --namespace \(now media\) may be wrong/);
  for (const { path, query } of service.seen) {
    assert.equal(path, '/api/v2/media/channel/resolve');
    assert.match(query.get('input') ?? '', /^UC[\w-]{22}$/);
  }
  const status = await command('auth status --json', {
    env: { CHANLIST_BASE_URL: service.url, CHANLIST_API_KEY: key },
  });
  assert.equal(status.exit, exit);
  const words = { 0: 'accepted', 3: 'rejected', 8: 'could not verify' } as const;
  assert.equal(JSON.parse(status.stdout).check, words[exit]);
  assert.doesNotMatch(status.stdout + status.stderr, /sk_live/);
}

test('verification: no connection and 5xx are retried, then 7; a temporary 503 does not matter', async (t) => {
  const broken = await scriptedService(t, () => (_, socket) => socket.destroy());
  const down = await scriptedService(t, () => json(503));
  const later = await scriptedService(t, (_, number) => (number < 2 ? json(503) : resolved));
  const secondDown = await keyed(t, missing, json(500));
  for (const [service, exit, requests] of [
    [broken, 7, 5],
    [down, 7, 5],
    [later, 0, 3],
    [secondDown, 7, 6],
  ] as const) {
    const env = { XDG_CONFIG_HOME: await temporaryFolder(t) };
    const login = await command(['auth', 'login', '--base-url', service.url], { env, stdin: key });
    assert.equal(login.exit, exit, login.stderr);
    assert.equal(service.seen.length, requests);
    assert.deepEqual(await readdir(env.XDG_CONFIG_HOME), exit === 0 ? ['chanlist'] : []);
  }
  const status = await broken.command(['auth', 'status', '--json']);
  assert.equal(status.exit, 7);
  assert.equal(JSON.parse(status.stdout).check, 'could not verify');
});

/**
 * Drives a login in a terminal of its own (Python's pty module): waits for the prompt, then does
 * `action` and prints the exit status and the terminal's echo flag.
 */
const driver = `
import fcntl, os, pty, sys, termios
action, argv = sys.argv[1], sys.argv[2:]
master, slave = pty.openpty()
pid = os.fork()
if pid == 0:
    os.close(master)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in range(3):
        os.dup2(slave, fd)
    os.execvp(argv[0], argv)
if action == 'close':
    os.close(slave)
    slave = None
seen = b''
while b'not shown' not in seen:
    seen += os.read(master, 4096)
raw = slave is None or not (termios.tcgetattr(slave)[3] & termios.ECHO)
if action == 'close':
    os.close(master)
else:
    os.kill(pid, int(action))
_, status = os.waitpid(pid, 0)
code = os.waitstatus_to_exitcode(status)
echo = slave is None or bool(termios.tcgetattr(slave)[3] & termios.ECHO)
print(code, raw, echo, os.WCOREDUMP(status))
`;

const python = { skip: process.platform === 'win32' && 'needs a terminal of its own' };

async function signalled(t: TestContext, action: string): Promise<string> {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'driver.py'), driver);
  const args = [join(folder, 'driver.py'), action, process.execPath, launcher];
  const child = spawn('python3', [...args, 'auth', 'login', '--base-url', 'https://api.example.com'], {
    env: cleanEnvironment({ XDG_CONFIG_HOME: folder, TERM: 'xterm' }),
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 20_000,
  });
  watchForKey(child, key);
  return (await collect(child)).stdout.trim();
}

test(
  'a signal at the hidden prompt: 128 and its number, the terminal has echo again, no core',
  python,
  async (t) => {
    for (const signal of ['HUP', 'INT', 'TERM'] as const) {
      const number = constants.signals[`SIG${signal}`];
      assert.equal(await signalled(t, String(number)), `${128 + number} True True False`, signal);
    }
  },
);

test('a terminal that is closed at the hidden prompt: 129, no abort, no core', python, async (t) => {
  assert.equal(await signalled(t, 'close'), '129 True True False');
});
