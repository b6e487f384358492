import { commandLine } from '../listing/continue.ts';
import type { ExportTask } from './task.ts';

/** The command that writes this one file anew, also where it is one of many in a folder; quoted for the shell. */
export function mendCommand({ settings, start, target }: ExportTask): string {
  const { invocation, outputDir } = settings.listing.options;
  const to = { name: '--output', value: target.path };
  return commandLine(invocation, start.given === null ? [] : [start.given], {
    drop: ['--from', '--output-dir', '--concurrency', '--restart', '--max-credits', '--summary'],
    add: [...(outputDir === null ? [] : [to]), { name: '--restart', value: null }],
  });
}
