import { cp, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from './program.ts';

type Env = Readonly<Record<string, string>>;

/** A folder with a copy of the built package, and an environment in which npm installs from it without the network. */
export interface PackageCopy {
  readonly folder: string;
  readonly env: Env;
  /** The folder of `npm install -g`. */
  readonly prefix: string;
}

/** Copies what `npm pack` puts into the package. */
export async function copyPackage(t: TestContext): Promise<PackageCopy> {
  const folder = await temporaryFolder(t);
  const { files } = JSON.parse(await readFile('package.json', 'utf8')) as { files: string[] };
  for (const name of ['package.json', 'README.md', 'LICENSE', ...files]) {
    const there = await stat(name).catch(() => null);
    if (there !== null) await cp(name, join(folder, name), { recursive: true });
  }
  const prefix = join(folder, 'global');
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    npm_config_prefix: prefix,
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  return { folder, env, prefix };
}
