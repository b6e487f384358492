/** What is generated from the program: see `scripts/docgen/generated.ts`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../', import.meta.url));

/** The module `scripts/docgen/generated.ts`, as the source is now. */
export async function loadGenerated() {
  const folder = await mkdtemp(join(tmpdir(), 'chanlist-generated-'));
  try {
    const outfile = join(folder, 'generated.cjs');
    await build({
      absWorkingDir: root,
      entryPoints: ['scripts/docgen/generated.ts'],
      outfile,
      bundle: true,
      format: 'cjs',
      platform: 'node',
      target: 'node20.18',
      logLevel: 'warning',
    });
    return createRequire(import.meta.url)(outfile);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
