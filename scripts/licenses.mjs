/** The licences of everything that the build puts into `dist`: `THIRD_PARTY_LICENSES`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { stubUnusedModules } from './stub-unused-modules.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Folders of the packages of which something is bundled, sorted. */
async function bundledPackages() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/start.ts', 'src/launch.ts'],
    outdir: 'unwritten',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    define: { CHANLIST_VERSION: '""', CHANLIST_BUILD: '""' },
    plugins: [stubUnusedModules],
    metafile: true,
    write: false,
  });
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
  const found = Object.keys(metafile.inputs).flatMap((path) => folder.exec(path)?.[0] ?? []);
  return [...new Set(found)].sort();
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e(?:\.|$)/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  const text = readFileSync(join(root, folder, file), 'utf8')
    .replace(/\r\n/g, '\n')
    .trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** The whole text. */
export async function licensesText() {
  const rule = `\n${'-'.repeat(80)}\n\n`;
  const head = 'chanlist brings along parts of these packages, each under its own licence.\n';
  return [head, ...(await bundledPackages()).map(licenseOf)].join(rule);
}
