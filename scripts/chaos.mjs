/** Builds the program and runs test/chaos/main.ts: `node scripts/chaos.mjs [KILLS [SEED]]`. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundle } from './bundle.mjs';

process.chdir(fileURLToPath(new URL('../', import.meta.url)));
const outdir = `.test-build/chaos-${process.pid}`;

function run(args) {
  // Parsing the certificates named by this variable costs every run of the program 50 ms.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  return status ?? 1;
}

process.exitCode = run(['scripts/build.mjs']);
if (process.exitCode === 0) {
  try {
    await build({
      entryPoints: ['test/chaos/main.ts'],
      outfile: `${outdir}/main.mjs`,
      ...bundle,
    });
    process.exitCode = run([`${outdir}/main.mjs`, ...process.argv.slice(2)]);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
