import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure, systemCode, usage } from '../errors.ts';
import {
  closeQuietly,
  createTemporary,
  guardFile,
  ignoreErrors,
  openedPath,
  syncFolder,
  syncIfPossible,
  unsupported,
  withDescriptor,
} from './files.ts';
import { type FileMark, hasMark, type Target } from './output-target.ts';
import type { PrivateFolder } from './private-folder.ts';
import { sticky } from './trust.ts';

/**
 * New content for a file: a reader sees the old content or the new, also after a power cut. It is written under another
 * name beside the target, then takes its name, with the mode of the file that was there. For `using`: unless it is
 * committed, it is removed.
 */
export class AtomicFile {
  readonly #target: Target;
  readonly #name: string;
  readonly #fd: number;
  #isOpen = true;

  /** Creates the temporary file. Throws as `fileError`: a usage error for a folder that cannot be written. */
  constructor(target: Target, work: 'open' | 'write' = 'open') {
    this.#target = target;
    [this.#name, this.#fd] = guardFile(target.path, work, () => inFolderOf(target, createTemporary));
  }

  write(chunk: string | Uint8Array): void {
    guardFile(this.#target.path, 'write', () => fs.writeFileSync(this.#fd, chunk));
  }

  commit(): void {
    const target = this.#target;
    const finish = (fd: number): void => {
      setMode(fd, target);
      syncIfPossible(fd);
    };
    guardFile(target.path, 'write', () => {
      this.#isOpen = false;
      withDescriptor(this.#fd, finish, true);
      inFolderOf(target, (folder) => {
        renameOver(target, join(folder, this.#name), folder);
        syncFolder(folder);
      });
    });
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) closeQuietly(this.#fd);
    try {
      inFolderOf(this.#target, (folder) => fs.unlinkSync(join(folder, this.#name)));
    } catch {}
  }
}

/**
 * Throws a usage error for a file that cannot be replaced, as far as the system tells: in a folder that cannot be written,
 * or another user's in a sticky one. Before anything is sent.
 */
export function assertReplaceable(target: Target): void {
  const { path, stats, folder } = target;
  const user = process.geteuid?.() ?? 0;
  const isSticky = ((folder?.mode ?? 0) & sticky) !== 0;
  if (isSticky && stats !== null && ![0, stats.uid, folder?.uid].includes(user))
    throw usage(`${path} belongs to user ${stats.uid}, and its folder is sticky`, 'name another file');
  new AtomicFile(target)[Symbol.dispose]();
}

/** Replaces a file (`AtomicFile`). Throws `failed`, never a usage error: its content may have been paid for. */
export function writeFileAtomic(target: Target, content: string | Uint8Array): void {
  using file = new AtomicFile(target, 'write');
  file.write(content);
  file.commit();
}

/**
 * Renames a complete, durable file of the private folder over the target. Throws `failed` for the reference if the
 * target's folder was replaced, or the file there is not `expected` (null: none). Until the rename the file keeps mode
 * 0600; nothing after the rename can fail.
 */
export function moveInto(
  folder: PrivateFolder,
  name: string,
  target: Target,
  expected: FileMark | null,
): void {
  guardFile(target.path, 'write', () => {
    const fd = folder.openRead(name);
    if (fd === null) throw new Failure('failed', `${folder.path}/${name} has been removed`);
    withDescriptor(fd, () =>
      inFolderOf(target, (parent) => {
        const path = folder.at(name);
        const existing = fs.lstatSync(join(parent, basename(target.real)), { throwIfNoEntry: false });
        if (existing !== undefined && !(expected && hasMark(existing, expected))) {
          const what = `${target.path} was ${expected ? 'changed' : 'created'} by others during this export`;
          throw conflict(what, 'move it away, then run the same command again: nothing is paid twice');
        }
        renameOver(target, path, parent);
        try {
          setMode(fd, target);
        } catch {}
        for (const each of [parent, dirname(path)]) syncFolder(each);
      }),
    );
  });
}

/** Does something in the folder of a target: the one that was found, even if another one takes its path meanwhile. */
function inFolderOf<T>({ real, path, folder }: Target, work: (folder: string) => T): T {
  const parent = dirname(real);
  const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = fs.constants;
  // A folder may be writable but not readable. A replaced one is detected below.
  const open = (): number => fs.openSync(parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const fd = ignoreErrors(['EACCES', 'ELOOP', 'ENOTDIR'], open) ?? null;
  try {
    const { dev, ino } = fd === null ? fs.lstatSync(parent) : fs.fstatSync(fd);
    if (dev === folder?.dev && ino === folder.ino)
      return work((fd === null ? null : openedPath(fd)) ?? parent);
  } finally {
    if (fd !== null) closeQuietly(fd);
  }
  const what = `${path}: another folder has taken the place of ${parent}`;
  throw conflict(what, 'move it away, put the first one back, and run the same command again');
}

const conflict = (what: string, hint: string): Failure =>
  new Failure('failed', `${what}; it was left unchanged`, { scope: 'reference', hint });

const obstacles: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  EBUSY: ['it is a mount point', 'unmount it'],
  EPERM: ['it is immutable, or another user protects it', 'let it be replaced (chattr -i)'],
  EXDEV: ['.chanlist beside it is on another file system', 'move that into the folder itself'],
};
const inUse = ['another program has opened it', 'close it there'] as const;

function renameOver({ path, real }: Target, from: string, folder: string): void {
  try {
    fs.renameSync(from, join(folder, basename(real)));
  } catch (error) {
    const code = systemCode(error) ?? '';
    const isInUse = process.platform === 'win32' && ['EBUSY', 'EPERM', 'EACCES'].includes(code);
    const [what, remedy] = (isInUse ? inUse : obstacles[code]) ?? [];
    if (what === undefined) throw error;
    throw new Failure('failed', `${path} cannot be replaced: ${what} (${code})`, {
      scope: 'reference',
      hint: `${remedy}, then run the same command again`,
      cause: error,
    });
  }
}

/** Gives an open file the mode of the target, or of a new file of this user's. */
function setMode(fd: number, { stats }: Target): void {
  const mode = stats === null ? 0o666 & ~process.umask() : stats.mode & 0o777;
  // Some file systems have no permission bits.
  ignoreErrors(unsupported, () => fs.fchmodSync(fd, mode));
}
