import type { Context } from '../context.ts';
import type { Stderr } from './stderr.ts';

/** With CHANLIST_DEBUG=1 tells the stack of an error, and of what caused it; otherwise nothing. */
export function showStack(error: Error, context: Pick<Context, 'env'>, stderr: Stderr): void {
  if (context.env.CHANLIST_DEBUG !== '1') return;
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    for (const line of (at.stack ?? at.message).split('\n')) stderr.trace(line);
  }
}
