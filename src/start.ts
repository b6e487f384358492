import { processContext } from './context.ts';
import { main, report } from './main.ts';

/** Runs the program in this process. */
export async function start(): Promise<void> {
  const context = processContext();
  // What a command did not wait for, and so could not catch.
  process.on('uncaughtException', (error) => process.exit(report(error, context)));
  process.exitCode = await main(process.argv.slice(2), context);
  // A reader who does not read must not keep a stopped program from ending.
  if (context.stop.aborted) setTimeout(() => process.exit(), 1000).unref();
  else context.stop.addEventListener('abort', () => process.exit());
}
