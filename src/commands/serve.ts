import type { Command } from 'commander';
import type { Start } from '../cli/commands.ts';
import { readFlags } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { ClosedPipe, Failure, usage } from '../errors.ts';
import { document } from '../help/document.ts';
import { Stderr } from '../output/stderr.ts';
import { Stdout } from '../output/stdout.ts';
import { type FaultRule, parseFaultRule } from '../sandbox/faults.ts';

/** The options of `chanlist serve`. */
export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly key: string;
  readonly credits: number;
  readonly pageSize: number;
  /** Milliseconds. */
  readonly latency: number;
  readonly seed: number;
  readonly fail?: readonly FaultRule[];
}

/** Adds the help of `chanlist serve`; its flags are in the table of flags. */
export function register(command: Command, start: Start): void {
  document(
    command,
    [
      'Runs the service on this machine, with demo data: all operations, keys, credits and errors. Costs nothing ' +
        'and needs no network. Ctrl-C stops it. For one call alone there is --sandbox.',
      'Demo data: @demo, @empty, @size-N (N up to 1000000) and the playlist PLdemo.',
      'KIND of --fail: a status from 400 to 599, reset, truncate, garbage, loop or expire; RATE: 0 to 1.',
    ],
    [
      ['on the usual port', 'chanlist serve'],
      [
        'on any free port, with few credits and small pages',
        'chanlist serve --port 0 --credits 5 --page-size 10',
      ],
      ['a bad day', 'chanlist serve --port 0 --seed 7 --fail 429:0.1 --fail reset:0.02'],
    ],
  );
  command.action(() => start(run, serveOptions(command)));
}

function serveOptions(command: Command): ServeOptions {
  const { host, key, fail, ...numbers } = readFlags(command, [
    ...(['port', 'host', 'key', 'credits', 'pageSize', 'latency', 'seed', 'fail'] as const),
  ]);
  const rules = fail.map(parseFaultRule);
  return { ...numbers, host: hostName(host), key: keyText(key), ...(rules.length > 0 && { fail: rules }) };
}

/**
 * Runs the sandbox until SIGINT (0) or until the reader of stdout has gone (0); another signal is thrown. Says
 * address and key once it is ready, then one line a request.
 */
export async function run(options: ServeOptions, context: Context): Promise<number> {
  const { startSandbox } = await import('../sandbox/server.ts');
  let end: (reason: unknown) => void = () => {};
  const ended = new Promise<unknown>((resolve) => {
    end = resolve;
  });
  const say = lineWriter(context, end);
  const sandbox = await startSandbox({ ...options, onRequest: say });
  const onStop = (): void => end(context.stop.reason);
  context.stop.addEventListener('abort', onStop, { once: true });
  if (context.stop.aborted) onStop();
  say(`chanlist sandbox at ${sandbox.baseUrl} with key ${sandbox.key}`);
  const reason = await ended;
  context.stop.removeEventListener('abort', onStop);
  await sandbox.close();
  if (reason instanceof ClosedPipe || (reason instanceof Failure && reason.exit === 130)) return 0;
  throw reason;
}

/** Writes lines to stdout, those that come while one is written together afterwards; tells `failed` of an error. */
function lineWriter(context: Context, failed: (error: unknown) => void): (line: string) => void {
  const stdout = new Stdout(context, new Stderr(context.stderr, { quiet: false, verbose: 0 }));
  let pending = '';
  let writing = false;
  const drain = async (): Promise<void> => {
    writing = true;
    while (pending !== '') {
      const text = pending;
      pending = '';
      await stdout.write(text);
    }
    writing = false;
  };
  return (line) => {
    pending += `${line}\n`;
    if (!writing) drain().catch(failed);
  };
}

function hostName(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  if (/^[A-Za-z0-9.:_%-]+$/.test(host)) return host;
  throw usage(`--host is '${text}': expected a host name or an address`, 'e.g. 127.0.0.1 or ::1');
}

function keyText(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw usage(
    '--key is not a key: expected printable ASCII characters without white space',
    'e.g. sk_sandbox',
  );
}
