import { once } from 'node:events';
import { explicitNamespace } from '../accounts/settings.ts';
import type { Example, RunCommand, Terms } from '../cli/command-module.ts';
import { ClosedPipe, Failure } from '../errors.ts';
import { faultMeanings, type SandboxSettings } from '../sandbox/defaults.ts';
import { defaultNamespace } from '../service/contract.ts';
import { environmentLine } from '../text/command.ts';

export const about = [
  'Runs the service on this machine, with demo data: all operations, keys, credits and errors. It costs nothing ' +
    'and needs no network. When it is ready, it prints its address and key, and the export lines that make ' +
    'chanlist use it; then one line per request. Ctrl-C stops it. For a single run, use --sandbox.',
  'Demo data: @demo (1,234 uploads), @empty, @size-N (N uploads, up to a million), @odd (a channel with the ' +
    'oddities of real ones) and the playlist PLdemo (321 videos).',
];

export const examples: readonly Example[] = [
  ['serve on the default port', 'chanlist serve'],
  ['serve few credits and small pages, on any port', 'chanlist serve --port 0 --credits 5 --page-size 10'],
  ['simulate a bad day', 'chanlist serve --port 0 --seed 7 --fail 429:0.1 --fail reset:0.02'],
];

export const terms: Terms = {
  heading: 'Faults (KIND in --fail KIND:RATE; RATE is the share of the requests, 0 to 1):',
  rows: faultMeanings,
};

/** Runs the sandbox until SIGINT, SIGTERM or a closed stdout, and returns 0. Throws after any other signal or failure. */
export const run: RunCommand<
  Partial<Omit<SandboxSettings, 'namespace'>> & { readonly namespace: string | undefined }
> = async (options, { context, stdout }) => {
  const { startSandbox } = await import('../sandbox/server.ts');
  const namespace = explicitNamespace(options, context.env) ?? defaultNamespace;
  const failed = new AbortController();
  /** The first line that cannot be written ends the sandbox. */
  const print = (line: string): void => {
    stdout.write(`${line}\n`).catch((error) => failed.abort(error));
  };
  const { baseUrl, key, close } = await startSandbox({ ...options, namespace, onRequest: print });
  print(
    [
      `# chanlist sandbox at ${baseUrl} with key ${key}`,
      environmentLine('CHANLIST_BASE_URL', baseUrl),
      environmentLine('CHANLIST_API_KEY', key),
      environmentLine('CHANLIST_NAMESPACE', namespace),
    ].join('\n'),
  );
  const ended = AbortSignal.any([context.stop, failed.signal]);
  if (!ended.aborted) await once(ended, 'abort');
  await close();
  const { reason } = ended;
  const isStop = reason instanceof Failure && (reason.exit === 130 || reason.exit === 143);
  if (isStop || reason instanceof ClosedPipe) return 0;
  throw reason;
};
