/** How esbuild bundles the TypeScript of tests and tools, for the oldest supported Node. */
export const bundle = {
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  logLevel: 'warning',
};
