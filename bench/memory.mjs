import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { timed } from './measure.mjs';

/** Peak of resident memory with `more` pages, as a multiple of that with `few`; the greater of two runs each. */
export async function measureMemory({ node, program, env, folder, format, few, more }) {
  const file = join(folder, 'peak');
  const peak = async (pages) => {
    const command = [node, '-r', join(import.meta.dirname, 'peak.cjs'), program];
    command.push('uploads', `@pages-${pages}`, '--format', format);
    await timed({ command, env: { ...env, PEAK_FILE: file }, stdout: join(folder, 'out') });
    return Number(readFileSync(file, 'utf8')) / 1024 / 1024;
  };
  const of = Math.max(await peak(few), await peak(few));
  const median = await peak(more);
  return {
    what: `peak memory, ${format}: ${more} pages against ${few}`,
    target: 1.1,
    median,
    of,
    unit: 'MB',
  };
}
