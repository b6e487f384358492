import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { collect } from '../support/collect.ts';
import { watchForKey } from '../support/key-watch.ts';
import { cleanEnvironment, launcher, temporaryFolder, testKey } from '../support/program.ts';

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
  watchForKey(child, testKey);
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
