import { fstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { usage } from '../errors.ts';
import { memoryFolder, partialSuffixes } from './kept-names.ts';
import { resolveTarget, type Target } from './target.ts';

/** A file that a call names. */
export interface NamedFile {
  /** The flag or variable that names it: for messages. */
  readonly flag: string;
  /** As given; `-` as an input is stdin. */
  readonly path: string;
  readonly kind: 'output' | 'input';
}

/** Suffixes of the files that are kept beside an output; '' is the output itself. */
const suffixes = ['', ...partialSuffixes, '.lock'];

/**
 * Throws a usage error that names both flags if an output, or a file that the program keeps beside it, is another
 * output or an input, also through symbolic and hard links. Streams as outputs are exempt: they are not replaced.
 * Returns the same check for outputs that are known later (the exports of a folder): each is compared with all before
 * it.
 */
export async function checkApart(
  files: readonly NamedFile[],
): Promise<(flag: string, target: Target) => void> {
  const taken = new TakenNames();
  for (const file of files.filter(({ kind }) => kind === 'input')) taken.addInput(file);
  for (const { flag, path } of files.filter(({ kind }) => kind === 'output')) {
    taken.addOutput(flag, await resolveTarget(path));
  }
  return (flag, target) => taken.addOutput(flag, target);
}

interface Owner {
  readonly flag: string;
  readonly path: string;
}

class TakenNames {
  /** All names of outputs, and of inputs, without links. */
  readonly #outputs = new Map<string, Owner>();
  readonly #inputs = new Map<string, Owner>();
  /** Existing files, by device and inode. */
  readonly #inodes = new Map<string, Owner>();
  /** Folders of outputs: each may have a memory. */
  readonly #folders = new Map<string, Owner>();

  addInput({ flag, path }: NamedFile): void {
    try {
      const stats = path === '-' ? fstatSync(0) : statSync(path);
      if (!stats.isFile()) return;
      const owner = { flag, path };
      this.#inodes.set(inode(stats), owner);
      if (path !== '-') this.#inputs.set(realpathSync(path), owner);
    } catch {
      // An unreadable input is reported when it is read.
    }
  }

  addOutput(flag: string, target: Target): void {
    if (target.kind === 'stream') return;
    const owner = { flag, path: target.path };
    const { real } = target;
    const names = suffixes.map((suffix) => real + suffix);
    for (const name of names) {
      const other = this.#outputs.get(name) ?? this.#inputs.get(name);
      if (other !== undefined) throw same(owner, other);
    }
    const memoryOf =
      basename(dirname(real)) === memoryFolder ? this.#folders.get(dirname(dirname(real))) : undefined;
    if (memoryOf !== undefined) throw same(owner, memoryOf);
    const folder = dirname(real);
    if (!this.#folders.has(folder)) {
      const memory = join(folder, memoryFolder);
      const inMemory = [...this.#inputs, ...this.#outputs].find(([name]) => dirname(name) === memory);
      if (inMemory !== undefined) throw same(owner, inMemory[1]);
      this.#folders.set(folder, owner);
    }
    const stats = target.exists ? statSync(real, { throwIfNoEntry: false }) : undefined;
    if (stats !== undefined) {
      const other = this.#inodes.get(inode(stats));
      if (other !== undefined && isStill(other, stats)) throw same(owner, other);
      this.#inodes.set(inode(stats), owner);
    }
    for (const name of names) this.#outputs.set(name, owner);
  }
}

/** Whether a path still leads to a file. If it was replaced since it was named, another file may have its inode. */
function isStill({ path }: Owner, stats: Stats): boolean {
  if (path === '-') return true;
  const now = statSync(path, { throwIfNoEntry: false });
  return now !== undefined && inode(now) === inode(stats);
}

const inode = ({ dev, ino }: Stats): string => `${dev}:${ino}`;

function same(one: Owner, other: Owner): Error {
  return usage(
    `${one.flag} ${one.path} and ${other.flag} ${other.path} are the same file, or one is kept beside the other`,
    'name another file',
  );
}
