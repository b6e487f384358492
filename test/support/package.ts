import { cp, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from './program.ts';

/**
 * Copies what `npm pack` puts into the package; returns the folder, an environment in which npm installs from it without the
 * network, and the folder of `npm install -g`.
 */
export async function copyPackage(t: TestContext) {
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
