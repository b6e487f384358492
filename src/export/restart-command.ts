import { resolve } from 'node:path';
import { commandLine } from '../run/command-line.ts';
import type { ExportTask } from './task.ts';

/** The command that writes this one file anew, also where it is one of many in a folder; quoted for the shell. */
export function restartCommand({ settings, start, target }: ExportTask): string {
  const { invocation } = settings.listing.options;
  // Whole, so that it does the same from any folder.
  const to = { name: '--output', value: resolve(target.path) };
  return commandLine(invocation, start.given === null ? [] : [start.given], {
    drop: ['--from', '--output', '--output-dir', '--concurrency', '--restart', '--max-credits', '--summary'],
    add: [to, { name: '--restart', value: null }],
  });
}
