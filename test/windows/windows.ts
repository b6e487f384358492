import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { type Line, launcher, wordsOf } from '../support/program.ts';

/** Node.js for Windows, which `.ci/run` takes from npm, and the Wine of Debian's package wine64 that runs it. */
const windowsNode = process.env.CHANLIST_WINDOWS_NODE ?? '';
const wine = '/usr/lib/wine/wine64';
const isWine = process.platform === 'linux' && existsSync(windowsNode) && existsSync(wine);

export const isWindows = isWine || process.platform === 'win32';
export const skip =
  !isWindows &&
  process.platform !== 'darwin' &&
  'needs Windows, macOS, or Wine and Node.js for Windows, which .ci/run installs';
export const skipOffWindows = !isWindows && 'needs Windows';

/** The home folder of all runs, with the prefix of Wine: stored accounts and the ledger. */
export const home = mkdtempSync(join(tmpdir(), 'chanlist-windows-'));

const wineEnvironment = {
  WINEPREFIX: join(home, 'wine'),
  WINEDEBUG: '-all',
  WINEDLLOVERRIDES: 'mscoree,mshtml,winemenubuilder.exe=',
  NODE_SKIP_PLATFORM_CHECK: '1',
};
/** Wine refuses to connect a socket whose keep-alive was set before. */
const deferKeepAlive = join(process.cwd(), 'test/windows/defer-keep-alive.cjs');
const [program = '', ...options] = isWine
  ? [wine, windowsNode, '--require', deferKeepAlive]
  : [process.execPath];

const isOfMachine = ([name]: readonly [string, unknown]): boolean =>
  !/^(?:CHANLIST_|XDG_|TERM$|PAGER$)/.test(name);

/** The environment of this machine, without what configures the program. */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(isOfMachine)),
  ...(isWine && wineEnvironment),
  ...{ HOME: home, USERPROFILE: home, APPDATA: join(home, 'Roaming'), LOCALAPPDATA: join(home, 'Local') },
};

// Creates Wine's folders: a process that starts meanwhile does not see the drives.
if (isWine) spawnSync(wine, [windowsNode, '--version'], { env: environment });
process.on('exit', () => {
  if (isWine) spawnSync('/usr/lib/wine/wineserver64', ['--kill'], { env: environment });
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
});

export interface Started {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly ended: Promise<{ exit: number | null; stdout: string; stderr: string }>;
}

let count = 0;

/** Whether Wine itself has failed, as it may while its server starts or ends: the program has not run. */
const isOfWine = (exit: number | null, stderr: string): boolean =>
  isWine && exit === 1 && /^wine(?: client error)?:/m.test(stderr);

/** Starts Node.js with these arguments. Its standard streams are files: Wine cannot serve two pipes at once. */
export function startNode(args: readonly string[], cwd: string, env = {}, input = '', attempts = 5): Started {
  const files = join(home, String(count++));
  const [stdin, stdout, stderr] = [`${files}.in`, `${files}.out`, `${files}.err`];
  writeFileSync(stdin, input);
  const stdio = [openSync(stdin, 'r'), openSync(stdout, 'w'), openSync(stderr, 'w')];
  const child = spawn(program, [...options, ...args], { cwd, env: { ...environment, ...env }, stdio });
  for (const fd of stdio) closeSync(fd);
  const read = (path: string): string => readFileSync(path, 'utf8');
  const ended = new Promise<Awaited<Started['ended']>>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (exit) => {
      const isAgain = attempts > 1 && isOfWine(exit, read(stderr));
      if (isAgain) resolve(startNode(args, cwd, env, input, attempts - 1).ended);
      else resolve({ exit, stdout: read(stdout), stderr: read(stderr) });
    });
  });
  return { child, stdout: () => read(stdout), ended };
}

export const start = (line: Line, cwd: string, env = {}, input = ''): Started =>
  startNode([launcher, ...wordsOf(line)], cwd, env, input);

export async function written({ stdout }: Started, text: string): Promise<string> {
  while (!stdout().includes(text)) await turn();
  return stdout();
}
