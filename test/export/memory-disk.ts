import { usage } from '../../src/errors.ts';
import type { FileOps, FileStat, OpenFile } from '../../src/fs/file-ops.ts';

interface Inode {
  readonly ino: number;
  mode: number;
  mtimeMs: number;
  data: Buffer;
  /** What a power cut leaves for certain. */
  durable: { data: Buffer; mode: number };
}

type NameChange = (names: Map<string, Inode>) => void;

/** The process has ended: nothing that it was doing continues. */
export class Killed extends Error {}

/** What happens at a step, counted from 1: nothing of it (`before`), half a write (`torn`), or an error of the disk. */
export interface Fault {
  readonly step: number;
  readonly kind: 'before' | 'torn' | 'ENOSPC' | 'EIO';
}

/** A number in [0, 1). */
export type Random = () => number;

export function systemError(code: string, path = ''): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

/**
 * A disk in memory that knows what is durable: content after `datasync`, content and mode after `sync` of the file,
 * names after `syncFolder`. All files belong to one user. Each process works through file operations of its own,
 * which a fault can end.
 */
export class MemoryDisk {
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #pending: NameChange[] = [];
  #ino = 0;
  #time = 0;

  /** A file that has always been there. */
  put(path: string, text: string, mode = 0o644): void {
    const inode = this.#create(mode, Buffer.from(text));
    this.#names.set(path, inode);
    this.#durableNames.set(path, inode);
  }

  text(path: string): string | null {
    return this.#names.get(path)?.data.toString() ?? null;
  }

  mode(path: string): number | null {
    return this.#names.get(path)?.mode ?? null;
  }

  names(): string[] {
    return [...this.#names.keys()].sort();
  }

  /** What was not made durable is there, or not, or in part; names change in any order. */
  powerCut(random: Random): void {
    for (const change of this.#pending) if (random() >= 0.5) change(this.#durableNames);
    this.#pending = [];
    this.#names = new Map(this.#durableNames);
    for (const inode of new Set(this.#names.values())) {
      inode.data = this.#afterPowerCut(inode, random);
      if (random() < 0.5) inode.mode = inode.durable.mode;
      inode.durable = { data: inode.data, mode: inode.mode };
    }
  }

  #afterPowerCut({ data, durable: { data: durable } }: Inode, random: Random): Buffer {
    const choice = Math.floor(random() * 4);
    if (choice === 0) return durable;
    if (choice === 1 || data.length <= durable.length) return data;
    const cut = durable.length + Math.floor(random() * (data.length - durable.length));
    const left = Buffer.from(data.subarray(0, cut));
    // The length arrived before the content did.
    if (choice === 2) left.fill(0, durable.length);
    return left;
  }

  #create(mode: number, data: Buffer): Inode {
    return { ino: ++this.#ino, mode, mtimeMs: ++this.#time, data, durable: { data, mode } };
  }

  #change(change: NameChange): void {
    change(this.#names);
    this.#pending.push(change);
  }

  /** The file operations of one process. `steps()` counts them; `isDead()`: a fault has killed it. */
  process(fault: Fault | null = null): FileOps & { steps(): number; isDead(): boolean } {
    let steps = 0;
    let dead = false;
    const step = async <T>(work: () => T, torn: () => void = () => {}): Promise<T> => {
      if (dead) throw new Killed();
      steps++;
      if (fault?.step === steps) {
        if (fault.kind === 'ENOSPC' || fault.kind === 'EIO') throw systemError(fault.kind);
        dead = true;
        if (fault.kind === 'torn') torn();
        throw new Killed();
      }
      return work();
    };
    const inodeAt = (path: string): Inode | null => this.#names.get(path) ?? null;
    const existing = (path: string): Inode => {
      const inode = inodeAt(path);
      if (inode === null) throw systemError('ENOENT', path);
      return inode;
    };
    const owned = (path: string, finishedMode?: number): Inode | null => {
      const inode = inodeAt(path);
      if (inode !== null && (inode.mode & 0o022) !== 0 && inode.mode !== finishedMode)
        throw usage(`${path} is in the way: it can be written by other users`);
      return inode;
    };
    const openInode = (inode: Inode): OpenFile => {
      const write = (bytes: Uint8Array, position: number): void => {
        const longer = Buffer.alloc(Math.max(inode.data.length, position + bytes.length));
        inode.data.copy(longer);
        longer.set(bytes, position);
        inode.data = longer;
        inode.mtimeMs = ++this.#time;
      };
      return {
        write: (bytes, position) =>
          step(
            () => write(bytes, position),
            () => write(bytes.subarray(0, bytes.length >> 1), position),
          ),
        read: (length, position) => step(() => Buffer.from(inode.data.subarray(position, position + length))),
        text: () => step(() => inode.data.toString()),
        truncate: (length) =>
          step(() => {
            inode.data = Buffer.from(inode.data.subarray(0, length));
          }),
        datasync: () =>
          step(() => {
            inode.durable = { ...inode.durable, data: inode.data };
          }),
        sync: () =>
          step(() => {
            inode.durable = { data: inode.data, mode: inode.mode };
          }),
        chmod: (mode) =>
          step(() => {
            inode.mode = mode;
          }),
        stat: () => step(() => statOf(inode)),
        close: async () => {},
      };
    };
    return {
      steps: () => steps,
      isDead: () => dead,
      open: (path, how, finishedMode) =>
        step(() => {
          const found = owned(path, finishedMode);
          if (found !== null && how === 'create') throw systemError('EEXIST', path);
          if (found !== null && how !== 'replace') return openInode(found);
          if (how === 'write' || how === 'read') throw systemError('ENOENT', path);
          const inode = this.#create(0o600, Buffer.alloc(0));
          this.#change((names) => names.set(path, inode));
          return openInode(inode);
        }),
      lstat: (path) =>
        step(() => {
          const inode = inodeAt(path);
          return inode === null ? null : statOf(inode);
        }),
      lstatOwned: (path, finishedMode) =>
        step(() => {
          const inode = owned(path, finishedMode);
          return inode === null ? null : statOf(inode);
        }),
      readFile: async function* (path) {
        yield await step(() => existing(path).data);
      },
      availableBytes: async () => null,
      rename: (from, to) =>
        step(() => {
          const inode = existing(from);
          this.#change((names) => {
            names.delete(from);
            names.set(to, inode);
          });
        }),
      unlink: (path, finishedMode) =>
        step(() => {
          if (owned(path, finishedMode) === null) throw systemError('ENOENT', path);
          this.#change((names) => names.delete(path));
        }),
      syncFolder: () =>
        step(() => {
          this.#durableNames = new Map(this.#names);
          this.#pending = [];
        }),
    };
  }
}

function statOf({ data, mode, mtimeMs, ino }: Inode): FileStat {
  return { kind: 'file', size: data.length, mode, mtimeMs, ino };
}
