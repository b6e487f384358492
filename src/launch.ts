import { writeSync } from 'node:fs';
import { version } from './version.ts';

/** The folder that the program was built into. */
declare const __dirname: string;

/**
 * The fast path of --version: half the time of the full program. Returns false if it fails; the full program then
 * reports why.
 */
function writeVersion(): boolean {
  try {
    return writeSync(1, `${version}\n`) > 0;
  } catch {
    return false;
  }
}

const [word = '', ...rest] = process.argv.slice(2);
if (!/^(?:--version|-V)$/.test(word) || rest.length > 0 || !writeVersion()) {
  // Without a listener this signal opens Node's debugger, which runs any code that a client sends.
  process.on('SIGUSR1', () => {});
  require(`${__dirname}/core.cjs`).start();
}
