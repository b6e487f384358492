import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { Context } from '../context.ts';
import { Failure, systemCode, usage } from '../errors.ts';
import { nodeFileOps } from '../fs/file-ops.ts';
import { acquireLock } from '../fs/lock.ts';
import { makeFolders } from '../fs/make-folders.ts';
import { replaceOwned } from '../fs/replace-owned.ts';
import { foreignHome } from './foreign-home.ts';
import type { Settings } from './settings.ts';
import { readStore, type Store, storeFile, storeText } from './store.ts';

/** Longest wait for another run that is writing the store, and the pause between two attempts (ms). */
const maxWaitMs = 5000;
const pauseMs = 50;

/**
 * Changes the stored accounts: reads them, applies `change` and replaces the file atomically with mode 0600 under a
 * lock. Returns the new accounts. Throws `failed` for a store that is damaged or cannot be written, and usage errors
 * for a newer one and for what must not be used or created; the store then stays as it is.
 */
export async function updateStore(
  context: Context,
  change: (store: Store) => Store,
  { waitsForLock = true } = {},
): Promise<Store> {
  const file = writableStoreFile(context.env);
  try {
    makeFolders(dirname(file), 0o700);
  } catch (error) {
    throw notWritable(dirname(file), error);
  }
  const lock = await lockStore(file, context, waitsForLock ? maxWaitMs : 0);
  try {
    const store = change(readStore(context.env));
    await replaceStore(file, storeText(store));
    return store;
  } finally {
    await lock.release();
  }
}

/**
 * Marks a profile as verified after the first successful call with its address and namespace. Silent if the call
 * used other ones, and if the store cannot be written: the next call tries again.
 */
export async function markVerified(
  context: Context,
  { profile: name, baseUrl, namespace }: Pick<Settings, 'profile' | 'baseUrl' | 'namespace'>,
): Promise<void> {
  if (name === null) return;
  const verify = (store: Store): Store => {
    const stored = store.profiles.get(name);
    if (stored?.baseUrl.href !== baseUrl.href || stored.namespace !== namespace) return store;
    return { ...store, profiles: new Map(store.profiles).set(name, { ...stored, verified: true }) };
  };
  try {
    const store = readStore(context.env);
    if (verify(store) !== store) await updateStore(context, verify, { waitsForLock: false });
  } catch {
    // Without the mark, messages for a 404 keep naming --namespace.
  }
}

/**
 * The path of the store. Checks that it can be written, before the user is prompted for a key. Throws a usage error
 * below the HOME of another user, `failed` if its folder, or the nearest one that exists, is not writable.
 */
export function writableStoreFile(env: Context['env']): string {
  const file = storeFile(env);
  if (file === null) {
    throw new Failure('failed', 'no folder to store accounts in: this user has no home folder', {
      hint: 'set HOME or XDG_CONFIG_HOME, or use CHANLIST_API_KEY and CHANLIST_BASE_URL',
    });
  }
  const foreign = foreignHome(file, env);
  if (foreign !== null) {
    throw usage(
      `cannot store accounts in ${file}: the home folder ${foreign.home} belongs to ${foreign.owner}, another user`,
      'use sudo -H, or set XDG_CONFIG_HOME to a folder of your own',
    );
  }
  let folder = dirname(file);
  for (;;) {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
      return file;
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || dirname(folder) === folder) throw notWritable(folder, error);
      folder = dirname(folder);
    }
  }
}

async function lockStore(
  file: string,
  context: Context,
  maxWait: number,
): Promise<{ release(): Promise<void> }> {
  for (let waited = 0; ; waited += pauseMs) {
    try {
      return await acquireLock(file);
    } catch (error) {
      if (!(error instanceof Failure)) throw notWritable(dirname(file), error);
      if (error.code !== 'locked' || waited >= maxWait) throw error;
    }
    await context.clock.sleep(pauseMs, context.stop);
  }
}

/** Replaces the store durably. The caller holds its lock. */
async function replaceStore(file: string, text: string): Promise<void> {
  try {
    await replaceOwned(file, text, true);
  } catch (error) {
    throw error instanceof Failure ? error : notWritable(file, error);
  }
  // The store is replaced: at worst a power cut brings the old one back.
  await nodeFileOps.syncFolder(dirname(file)).catch(() => {});
}

/** Its cause is not the error, whose message may show the text of the store. */
function notWritable(path: string, error: unknown): Failure {
  return new Failure(
    'failed',
    `cannot store accounts: ${path} cannot be written (${systemCode(error) ?? 'unknown error'})`,
    { hint: 'make it writable, or set XDG_CONFIG_HOME to a folder that is' },
  );
}
