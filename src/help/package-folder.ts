import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the installed package: the first one upwards from the running file that has completions. */
export function packageFolder(): string | null {
  let folder = typeof __dirname === 'string' ? __dirname : dirname(process.argv[1] ?? '');
  for (;;) {
    if (existsSync(join(folder, 'completions', 'chanlist.bash'))) return folder;
    const above = dirname(folder);
    if (above === folder) return null;
    folder = above;
  }
}
