import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Options of esbuild for bundling the TypeScript of tests and tools, for the oldest supported Node. */
export const bundle = {
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  logLevel: 'warning',
};

/** Returns what `scripts/docgen/generated.ts` generates from the current source. */
export async function loadGenerated() {
  const file = new URL(`../.test-build/generated-${process.pid}.mjs`, import.meta.url);
  const entry = fileURLToPath(new URL('docgen/generated.ts', import.meta.url));
  try {
    await build({ ...bundle, entryPoints: [entry], outfile: fileURLToPath(file) });
    return await import(file);
  } finally {
    await rm(file, { force: true });
  }
}
