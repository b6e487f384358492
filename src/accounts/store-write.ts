import { accessSync, constants, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Context } from '../context.ts';
import { Failure, systemCode } from '../errors.ts';
import { acquireLock } from '../fs/lock.ts';
import { projectName, readStore, type Store, storeFile, storeVersion } from './store.ts';

/** How long to wait for another run that is writing the store, and between two looks, in milliseconds. */
const longestWait = 5000;
const waitStep = 50;

/**
 * Changes the stored accounts: reads them, applies `change` and replaces the file atomically with mode 0600,
 * while no other run does so. Returns what is stored now. Throws `failed` for a store that is damaged or newer,
 * which stays as it is, and where it cannot be written.
 */
export async function updateStore(context: Context, change: (store: Store) => Store): Promise<Store> {
  const file = writableStoreFile(context.env);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw notWritable(dirname(file), error);
  }
  const lock = await lockPatiently(file, context);
  try {
    const store = change(readStore(context.env));
    removeLeftovers(file);
    await write(file, store);
    return store;
  } finally {
    await lock.release();
  }
}

/**
 * The store's file, of which its folder, or the next one above that exists, can be written: found before a
 * person is asked for a key. Throws `failed` otherwise.
 */
export function writableStoreFile(env: Context['env']): string {
  const file = storeFile(env);
  if (file === null) {
    throw new Failure('failed', 'no folder to store accounts in: this user has no home folder', {
      hint: 'set HOME or XDG_CONFIG_HOME, or use CHANLIST_API_KEY and CHANLIST_BASE_URL',
    });
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

async function lockPatiently(file: string, context: Context): Promise<{ release(): Promise<void> }> {
  for (let waited = 0; ; waited += waitStep) {
    try {
      return await acquireLock(file);
    } catch (error) {
      if (!(error instanceof Failure)) throw notWritable(dirname(file), error);
      if (error.code !== 'locked' || waited >= longestWait) throw error;
    }
    await context.clock.sleep(waitStep, context.stop);
  }
}

async function write(file: string, store: Store): Promise<void> {
  const profiles = Object.fromEntries(
    [...store.profiles].map(([name, { baseUrl, namespace, key }]) => [
      name,
      { baseUrl: baseUrl.href, namespace, key },
    ]),
  );
  const { default: Conf } = await import('conf');
  // Inside a snap package, also a terminal in one, conf would write in place: never half a file.
  const snap = process.env.SNAP;
  delete process.env.SNAP;
  try {
    const conf = new Conf({
      projectName,
      projectSuffix: '',
      cwd: dirname(file),
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      clearInvalidConfig: false,
    });
    conf.store = { version: storeVersion, active: store.active, profiles };
  } catch (error) {
    throw notWritable(file, error);
  } finally {
    if (snap !== undefined) process.env.SNAP = snap;
  }
}

/** Removes the temporary files, with keys in them, of runs that were killed while they wrote. */
function removeLeftovers(file: string): void {
  try {
    // conf writes beside the file that a symbolic link points to.
    const real = realpathSync(file);
    const leftover = /^\.tmp-\d{10}[0-9a-f]{6}$/;
    for (const name of readdirSync(dirname(real))) {
      if (name.startsWith(basename(real)) && leftover.test(name.slice(basename(real).length)))
        rmSync(join(dirname(real), name), { force: true });
    }
  } catch {
    // No store yet, or a folder that cannot be listed.
  }
}

/** Without the error as its cause: its message may show what was to be written. */
function notWritable(path: string, error: unknown): Failure {
  return new Failure('failed', `cannot store accounts: ${path} cannot be written (${code(error)})`, {
    hint: 'make it writable, or set XDG_CONFIG_HOME to a folder that is',
  });
}

function code(error: unknown): string {
  return systemCode(error) ?? 'unknown error';
}
