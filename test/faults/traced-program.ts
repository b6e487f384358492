import { spawn, spawnSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Collected, collect } from '../support/collect.ts';
import { watchForKey } from '../support/key-watch.ts';
import { launcher, testKey } from '../support/program.ts';

/** Why these tests cannot run; false if they can. CI must have strace. */
export const noStrace =
  process.env.CI !== undefined || spawnSync('strace', ['--version']).status === 0
    ? false
    : 'strace is missing';

/** System calls that change files, or make a change durable. */
const changing = [
  ...['openat', 'write', 'pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'fchmod', 'chmod'],
  ...['rename', 'renameat2', 'unlink', 'mkdir', 'rmdir'],
];
/** All system calls on files. strace does not execute a `close` that it lets fail: the descriptor stays open. */
const traced = [
  ...changing,
  ...[
    'statx',
    'fstat',
    'newfstatat',
    'lstat',
    'stat',
    'statfs',
    'readlink',
    'getdents64',
    'read',
    'pread64',
    'close',
  ],
];
const errors = ['ENOSPC', 'EIO', 'EACCES', 'EDQUOT'] as const;

/** What happens at the nth call of that name, by each thread: an error in its place, or SIGKILL before it. */
export interface Fault {
  readonly call: string;
  readonly n: number;
  readonly kind: (typeof errors)[number] | 'SIGKILL';
}

export const describeFault = ({ call, n, kind }: Fault): string => `${kind} at ${call} ${n}`;

/** How a traced run ended. */
export interface TracedResult extends Collected {
  /** The fault has happened. */
  readonly hit: boolean;
  /** It did not end within the time limit. */
  readonly hung: boolean;
}

const timeLimitMs = 60_000;

/**
 * The built program under strace. Its random numbers are the same in every traced run, and it has one thread for files, so
 * that the nth call of a run is the nth call of the next one.
 */
export class TracedProgram {
  readonly #cwd: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #log: string;

  constructor(cwd: string, scratch: string, env: Readonly<Record<string, string>>) {
    this.#cwd = cwd;
    this.#log = join(scratch, 'trace');
    this.#env = {
      PATH: process.env.PATH ?? '',
      HOME: '/nonexistent',
      UV_THREADPOOL_SIZE: '1',
      UV_USE_IO_URING: '0',
      ...env,
    };
  }

  /** Runs it without a fault and without strace. */
  async run(args: readonly string[]): Promise<TracedResult> {
    return await this.#spawn([process.execPath, launcher, ...args], false);
  }

  /**
   * Runs it and returns the calls on files, or only those that change files, one a line, with the paths of descriptors:
   * `fsync(18</a/b>) = 0`.
   */
  async calls(
    args: readonly string[],
    which: 'all' | 'changes' = 'changes',
  ): Promise<{ result: TracedResult; calls: string[] }> {
    const names = which === 'all' ? traced : changing;
    const result = await this.#trace(args, [], names, ['--seccomp-bpf', '-y']);
    const calls = (await this.#takeLog()).split('\n').map((line) => line.replace(/^\d+ +/, ''));
    return { result, calls };
  }

  /** Runs it with a fault at a call on one of these paths. */
  async runWith(args: readonly string[], paths: readonly string[], fault: Fault): Promise<TracedResult> {
    const { call, n, kind } = fault;
    const effect = kind === 'SIGKILL' ? 'signal=SIGKILL' : `error=${kind}`;
    // With --seccomp-bpf strace is faster, but sends no signals.
    const more = kind === 'SIGKILL' ? [] : ['--seccomp-bpf'];
    const result = await this.#trace(
      args,
      paths,
      [call],
      [...more, '-e', `inject=${call}:${effect}:when=${n}`],
    );
    const log = await this.#takeLog();
    return { ...result, hit: log.includes('(INJECTED)') || log.includes('+++ killed by SIGKILL +++') };
  }

  /** The paths below `roots` that a run uses, and how many times (by the busiest thread) it makes each call on them. */
  async survey(
    args: readonly string[],
    roots: readonly string[],
    reset: () => Promise<void>,
  ): Promise<{ paths: string[]; calls: Map<string, number>; result: TracedResult }> {
    await this.#trace(args, [], traced, ['--seccomp-bpf']);
    const all = await this.#takeLog();
    const paths = new Set(roots);
    for (const [, path = ''] of all.matchAll(/"(\/[^"]*)"/g)) {
      const isOurs = roots.some((root) => path.startsWith(`${root}/`));
      if (isOurs || /^\/proc\/self\/fd\/\d+\//.test(path)) paths.add(path);
    }
    await reset();
    const result = await this.#trace(args, [...paths], traced, ['--seccomp-bpf']);
    const counts = new Map<string, number>();
    for (const [, thread, call] of (await this.#takeLog()).matchAll(/^(\d+) +(\w+)\(/gm))
      counts.set(`${thread} ${call}`, (counts.get(`${thread} ${call}`) ?? 0) + 1);
    const calls = new Map<string, number>();
    for (const [key, count] of counts) {
      const call = key.split(' ')[1] ?? '';
      calls.set(call, Math.max(calls.get(call) ?? 0, count));
    }
    return { paths: [...paths], calls, result };
  }

  async #trace(
    args: readonly string[],
    paths: readonly string[],
    calls: readonly string[],
    more: readonly string[],
  ): Promise<TracedResult> {
    const filter = paths.flatMap((path) => ['-P', path]);
    const options = ['-f', '-s', '4096', '-o', this.#log, '-e', `trace=${calls.join(',')}`];
    const program = [process.execPath, '--random-seed=7', launcher, ...args];
    return await this.#spawn(['strace', ...options, ...filter, ...more, ...program], true);
  }

  async #spawn(words: readonly string[], isGroup: boolean): Promise<TracedResult> {
    const [command = '', ...args] = words;
    const child = spawn(command, args, {
      cwd: this.#cwd,
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (!isGroup) watchForKey(child, testKey);
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, timeLimitMs);
    const collected = await collect(child).finally(() => clearTimeout(timer));
    return { ...collected, hit: false, hung };
  }

  async #takeLog(): Promise<string> {
    const text = await readFile(this.#log, 'utf8');
    await rm(this.#log);
    return text;
  }
}

/**
 * The faults of a run: at every call an error, each time the next one; before every call that changes files a kill. A
 * kill before another call leaves the same files as one before the next change.
 */
export function faultsOf(calls: ReadonlyMap<string, number>): Fault[] {
  const faults: Fault[] = [];
  let turn = 0;
  for (const [call, count] of calls)
    for (let n = 1; n <= count; n++) {
      faults.push({ call, n, kind: errors[turn++ % errors.length] ?? 'EIO' });
      if (changing.includes(call)) faults.push({ call, n, kind: 'SIGKILL' });
    }
  return faults;
}
