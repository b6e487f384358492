/** What the build puts into `dist` besides chanlist: its licences, and the bill of materials (CycloneDX). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { stubUnusedModules } from './stub-unused-modules.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');

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

const lock = JSON.parse(read('package-lock.json')).packages;

/** A bundled package: what its package.json, its licence file and the lock file say. */
function packageIn(folder) {
  const { name, version, license } = JSON.parse(read(join(folder, 'package.json')));
  const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e(?:\.|$)/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  const [algorithm, digest] = lock[folder].integrity.split('-');
  if (algorithm !== 'sha512') throw new Error(`package-lock.json: ${folder} has no SHA-512 checksum`);
  return { name, version, license, text: read(join(folder, file)), sha512: Buffer.from(digest, 'base64') };
}

/** undici brings llhttp along as WebAssembly (`dist/*.wasm`), without its licence. It does not say which version. */
const llhttp = { name: 'llhttp', license: 'MIT', text: read('scripts/llhttp-license.txt') };

function licensesText(packages) {
  const rule = `\n${'-'.repeat(80)}\n\n`;
  const head = 'chanlist brings along parts of these packages, each under its own licence.\n';
  const section = (title, { license, text }) =>
    `${title} (${license})\n\n${text.replace(/\r\n/g, '\n').trim()}\n`;
  return [
    head,
    ...packages.map((part) => section(`${part.name} ${part.version}`, part)),
    section('llhttp, compiled to WebAssembly by undici', llhttp),
  ].join(rule);
}

/** The bill of materials. It has no date and no serial number: the same parts give the same text. */
function billOfMaterials(packages) {
  const own = JSON.parse(read('package.json'));
  const licenses = ({ license }) => [{ license: { id: license } }];
  const reference = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const library = (part) => ({
    type: 'library',
    'bom-ref': reference(part),
    name: part.name,
    version: part.version,
    hashes: [{ alg: 'SHA-512', content: part.sha512.toString('hex') }],
    licenses: licenses(part),
    purl: reference(part),
    ...(part.name === 'undici' && {
      components: [
        {
          type: 'library',
          'bom-ref': 'llhttp',
          name: llhttp.name,
          description: `the HTTP parser of undici ${part.version}, compiled to WebAssembly`,
          licenses: licenses(llhttp),
        },
      ],
    }),
  });
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': reference(own),
        name: own.name,
        version: own.version,
        description: own.description,
        licenses: licenses(own),
        purl: reference(own),
      },
    },
    components: packages.map(library),
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

/** The path and text of each file about what is bundled. */
export async function partsFiles() {
  const packages = (await bundledPackages()).map(packageIn);
  return [
    ['THIRD_PARTY_LICENSES', licensesText(packages)],
    ['sbom.cdx.json', billOfMaterials(packages)],
  ];
}
