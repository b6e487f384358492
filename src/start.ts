import { closeSync, fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { processContext } from './context.ts';
import { Failure } from './errors.ts';
import { main, reportFailure } from './main.ts';

export async function start(): Promise<void> {
  // Without a listener this signal opens Node's debugger, which runs any code that a client sends.
  process.on('SIGUSR1', () => {});
  const context = processContext();
  process.on('exit', closeDeadTerminals);
  // Reports errors outside any awaited promise.
  process.on('uncaughtException', (error) => process.exit(reportFailure(error, context)));
  // Runs if the event loop is empty although the work is not done.
  const onEmpty = (): void => {
    process.exitCode = reportFailure(
      new Failure('failed', 'the program stopped early: this is a bug'),
      context,
    );
  };
  process.once('beforeExit', onEmpty);
  process.exitCode = await main(process.argv.slice(2), context);
  process.removeListener('beforeExit', onEmpty);
  // A reader that does not read must not keep a stopped program alive.
  if (context.stop.aborted) setTimeout(() => process.exit(), 1000).unref();
  else context.stop.addEventListener('abort', () => process.exit());
}

/** Closes streams whose terminal is gone: at exit Node aborts with a core file if a terminal no longer answers. */
function closeDeadTerminals(): void {
  for (const fd of [0, 1, 2]) {
    try {
      const stats = fstatSync(fd);
      if (!stats.isCharacterDevice() || stats.rdev === statSync(devNull).rdev) continue;
      // Loaded only now: it takes 2 ms.
      if (!process.getBuiltinModule('node:tty').isatty(fd)) closeSync(fd);
    } catch {
      // Closed already.
    }
  }
}
