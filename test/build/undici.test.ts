import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Client, Pool } from 'undici';
import InnerClient from 'undici/lib/dispatcher/client.js';
import InnerPool from 'undici/lib/dispatcher/pool.js';

test('the inner paths of undici that are used are those of its public classes', () => {
  assert.equal(InnerClient, Client);
  assert.equal(InnerPool, Pool);
});

test('undici is pinned to one version, the one that is installed', async () => {
  const read = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  const { devDependencies } = (await read('package.json')) as { devDependencies: Record<string, string> };
  const { version } = await read('node_modules/undici/package.json');
  assert.equal(devDependencies.undici, version);
});
