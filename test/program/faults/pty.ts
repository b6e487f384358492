import { spawn } from 'node:child_process';
import { watchForKey } from '../../support/key-watch.ts';
import { cleanEnvironment, launcher, testKey } from '../../support/program.ts';

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * Runs the built program with stdin, stdout and stderr at a terminal of 80 columns. `redirect`: words of the
 * shell after the command, `2>/dev/null`. `screen`: all that the terminal got, stdout and stderr, in order.
 */
export function onTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  redirect = '',
): Promise<{ exit: number | null; screen: string }> {
  const line = `stty cols 80; ${[process.execPath, launcher, ...args].map(quote).join(' ')} ${redirect}`;
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
      env: cleanEnvironment({ TERM: 'xterm-256color', PAGER: '', SHELL: '/bin/sh', ...env }),
      stdio: ['pipe', 'pipe', 'inherit'],
      timeout: 60_000,
    });
    watchForKey(child, testKey);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (exit) => {
      child.stdin.destroy();
      resolve({ exit, screen: Buffer.concat(chunks).toString('utf8') });
    });
  });
}
