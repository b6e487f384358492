import type { FileOps, FileStat, OpenFile } from '../../src/fs/file-ops.ts';

interface Inode {
  readonly ino: number;
  mode: number;
  mtimeMs: number;
  data: Buffer;
  /** What a power cut leaves for certain. */
  durable: Buffer;
}

type NameChange = (names: Map<string, Inode>) => void;

/** The process has ended: nothing that it was doing goes on. */
export class Killed extends Error {}

/** What happens at a step, counted from 1: nothing of it (`before`), half a write (`torn`), or an error of the disk. */
export interface Fault {
  readonly step: number;
  readonly kind: 'before' | 'torn' | 'ENOSPC' | 'EIO';
}

/** A number in [0, 1). */
export type Random = () => number;

function systemError(code: string, path = ''): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

/**
 * A disk in memory that knows what is durable: content after `datasync` or `sync` of its file, names after
 * `syncFolder`. Each process works through file operations of its own, which a fault can end.
 */
export class MemoryDisk {
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #pending: NameChange[] = [];
  #ino = 0;
  #time = 0;

  /** A file that has always been there. */
  put(path: string, text: string, mode = 0o644): void {
    const data = Buffer.from(text);
    const inode = { ino: ++this.#ino, mode, mtimeMs: ++this.#time, data, durable: data };
    this.#names.set(path, inode);
    this.#durableNames.set(path, inode);
  }

  remove(path: string): void {
    this.#names.delete(path);
    this.#durableNames.delete(path);
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

  /** What was not made durable is there, or not, or in part. */
  powerCut(random: Random): void {
    for (const change of this.#pending) if (random() >= 0.5) change(this.#durableNames);
    this.#pending = [];
    this.#names = new Map(this.#durableNames);
    for (const inode of new Set(this.#names.values())) {
      inode.data = this.#afterPowerCut(inode, random);
      inode.durable = inode.data;
    }
  }

  #afterPowerCut({ data, durable }: Inode, random: Random): Buffer {
    const choice = Math.floor(random() * 4);
    if (choice === 0) return durable;
    if (choice === 1 || data.length <= durable.length) return data;
    const cut = durable.length + Math.floor(random() * (data.length - durable.length));
    const left = Buffer.from(data.subarray(0, cut));
    // The length arrived before the content did.
    if (choice === 2) left.fill(0, durable.length);
    return left;
  }

  #change(change: NameChange): void {
    change(this.#names);
    this.#pending.push(change);
  }

  /** The file operations of one process. `steps()` counts them. */
  process(fault: Fault | null = null): FileOps & { steps(): number } {
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
    const open = (inode: Inode): OpenFile => {
      const write = (bytes: Uint8Array, position: number): void => {
        const longer = Buffer.alloc(Math.max(inode.data.length, position + bytes.length));
        inode.data.copy(longer);
        longer.set(bytes, position);
        inode.data = longer;
        inode.mtimeMs = ++this.#time;
      };
      const sync = (): Promise<void> =>
        step(() => {
          inode.durable = inode.data;
        });
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
        datasync: sync,
        sync,
        chmod: (mode) =>
          step(() => {
            inode.mode = mode;
          }),
        stat: () => step(() => statOf(inode)),
        close: async () => {},
      };
    };
    const names = (): Map<string, Inode> => this.#names;
    return {
      steps: () => steps,
      open: (path, how) =>
        step(() => {
          const found = this.#names.get(path);
          if (found !== undefined && how === 'create') throw systemError('EEXIST', path);
          if (found !== undefined && how !== 'replace') return open(found);
          if (how === 'write' || how === 'read') throw systemError('ENOENT', path);
          const data = Buffer.alloc(0);
          const inode = { ino: ++this.#ino, mode: 0o600, mtimeMs: ++this.#time, data, durable: data };
          this.#change((names) => names.set(path, inode));
          return open(inode);
        }),
      lstat: (path) =>
        step(() => {
          const inode = this.#names.get(path);
          return inode === undefined ? null : statOf(inode);
        }),
      lstatOwned: (path) =>
        step(() => {
          const inode = this.#names.get(path);
          return inode === undefined ? null : statOf(inode);
        }),
      availableBytes: async () => null,
      rename: (from, to) =>
        step(() => {
          const inode = this.#names.get(from);
          if (inode === undefined) throw systemError('ENOENT', from);
          this.#change((names) => {
            names.delete(from);
            names.set(to, inode);
          });
        }),
      unlink: (path) =>
        step(() => {
          if (!this.#names.has(path)) throw systemError('ENOENT', path);
          this.#change((names) => names.delete(path));
        }),
      readFile: async function* (path) {
        const inode = names().get(path);
        if (inode === undefined) throw systemError('ENOENT', path);
        yield inode.data;
      },
      syncFolder: () =>
        step(() => {
          this.#durableNames = new Map(this.#names);
          this.#pending = [];
        }),
    };
  }
}

function statOf({ data, mode, mtimeMs, ino }: Inode): FileStat {
  return { kind: 'file', size: data.length, mode, mtimeMs, dev: 1, ino };
}
