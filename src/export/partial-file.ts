import { usage } from '../errors.ts';
import { guarded } from '../fs/file-errors.ts';
import { type FileOps, nodeFileOps, type OpenFile, removeIfThere } from '../fs/file-ops.ts';
import type { Target } from '../fs/target.ts';
import {
  begin,
  complete,
  type Known,
  markOf,
  type OpenPart,
  openPart,
  pathsOf,
  sameMark,
} from './partial-file-steps.ts';
import {
  checkIdentity,
  damaged,
  type FileMark,
  type Identity,
  misfits,
  newState,
  type Progress,
  type State,
} from './state.ts';
import { allDone, StateFile } from './state-file.ts';

export interface ExportOptions {
  /** Throws an interrupted export away. */
  readonly restart: boolean;
  /** What kind of export it is: an interrupted one of the other kind does not fit. */
  readonly mode: State['mode'];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly ops?: FileOps;
}

/** Bytes of old entries that are written at once. */
const chunk = 1024 * 1024;

/**
 * A file that is never half-written: rows go to `FILE.part`, how far it has come to `FILE.part.json`, and when
 * all is there the part file takes FILE's place. Whenever the process dies, the next `open` goes on behind the
 * last page that was appended, or finishes what only had to be put in its place. Whoever opens it holds the lock.
 */
export class PartialFile {
  readonly target: Target;
  /** An interrupted export goes on: what it is of and how far it has come is in `state`. */
  readonly resumed: boolean;
  /** FILE is in its place already: the interrupted run only had to clean up. Nothing more can be written. */
  readonly alreadyDone: boolean;
  /** FILE is not the one that it was when the interrupted export began. */
  readonly baseChanged: boolean;
  readonly #known: Known;
  #part: OpenFile | null;
  readonly #inode: number;
  #state: State;
  /** Bytes in the part file: those of the state, and rows that cannot be gone on from. */
  #end: number;
  #broken = false;

  private constructor(known: Known, state: State, open: OpenPart | null, how: How) {
    this.target = known.paths.target;
    this.resumed = how.resumed;
    this.alreadyDone = open === null;
    this.baseChanged = how.baseChanged;
    this.#known = known;
    this.#part = open?.part ?? null;
    this.#inode = open?.inode ?? 0;
    this.#state = state;
    this.#end = state.bytes;
  }

  /** The state of an interrupted export of this file; null where there is none. Changes nothing. */
  static async peek(target: Target, ops: FileOps = nodeFileOps): Promise<State | null> {
    const { state } = pathsOf(target);
    return await guarded(state, 'opening', () => new StateFile(state, ops).read());
  }

  /**
   * Goes on with an interrupted export or begins one: creates both files, so that a folder that cannot be
   * written and a full disk show before anything is paid. Throws usage errors for arguments that do not fit the
   * interrupted export and for paths that cannot be written, `failed` for a damaged or incomplete one.
   */
  static async open(target: Target, identity: Identity, options: ExportOptions): Promise<PartialFile> {
    const ops = options.ops ?? nodeFileOps;
    const paths = pathsOf(target);
    const journal = new StateFile(paths.state, ops);
    return await guarded(paths.part, 'opening', async () => {
      const base = markOf(await ops.lstat(target.real));
      const part = await ops.lstatOwned(paths.part, paths.mode);
      await journal.check();
      const known = { ops, paths, journal };
      const state = options.restart ? null : await journal.read();
      const now = { identity, mode: options.mode };
      if (state?.done) {
        const whole = part === null ? isFinished(state, base) : part.size === state.bytes;
        if (!whole) throw damaged(`${paths.part} is ${part === null ? 'missing' : 'incomplete'}`);
        // Once FILE is in its place nothing is interrupted: other arguments begin an export of their own.
        if (part !== null) checkIdentity(state, now, target.path);
        if (part !== null || misfits(state, now).length === 0) {
          await complete(known, part !== null);
          return new PartialFile(known, state, null, { resumed: true, baseChanged: false });
        }
      } else if (state !== null) {
        checkIdentity(state, now, target.path);
        const baseChanged = !sameMark(state.base, base);
        return new PartialFile(known, state, await openPart(known, state, part), {
          resumed: true,
          baseChanged,
        });
      } else if (part !== null && part.size > 0 && !options.restart) {
        throw usage(
          `${paths.part} is in the way: there is no ${paths.state} to say what it is`,
          'remove it, or throw it away with --restart',
        );
      }
      const fresh = newState(identity, options.mode, options.now, base);
      return new PartialFile(known, fresh, await begin(known, fresh), { resumed: false, baseChanged: false });
    });
  }

  get state(): State {
    return this.#state;
  }

  /**
   * Adds the text of a page, and with it how far the export has come now. Both are durable when it resolves; if
   * the process dies before, neither counts. An empty text only notes the progress.
   */
  async append(text: string, next: Partial<Progress>): Promise<void> {
    await this.#change(async (part) => {
      await this.#write(part, text);
      const synced = this.#end === this.#state.bytes ? Promise.resolve() : part.datasync();
      await this.#save({ ...this.#state, ...next, bytes: this.#end }, synced);
    });
  }

  /** Adds text that cannot be gone on from: it is part of the file if `finish` follows, else it is dropped. */
  async appendUncommitted(text: string): Promise<void> {
    await this.#change((part) => this.#write(part, text));
  }

  /** Adds the closing text and puts the file in its place, durably; nothing but FILE is left. */
  async finish(tail: string): Promise<void> {
    await this.#change(async (part) => {
      await this.#write(part, tail);
      await part.chmod(this.#known.paths.mode);
      await this.#save({ ...this.#state, bytes: this.#end, done: true }, part.sync());
    });
    await this.close();
    await guarded(this.target.path, 'exporting', () => complete(this.#known, true));
  }

  /**
   * Adds old entries (texts, separators included) behind what is there, then the closing text, and finishes.
   * Memory stays flat. If the process dies meanwhile, it is done anew: only what `append` added counts till then.
   */
  async finishWith(old: AsyncIterable<string>, tail: string): Promise<void> {
    let texts: string[] = [];
    let length = 0;
    const flush = async (): Promise<void> => {
      const text = texts.join('');
      texts = [];
      length = 0;
      await this.appendUncommitted(text);
    };
    for await (const text of old) {
      texts.push(text);
      length += text.length;
      if (length >= chunk) await flush();
    }
    await flush();
    await this.finish(tail);
  }

  /** Lets go of the files: an export that is not finished waits for the next run. */
  async close(): Promise<void> {
    const part = this.#part;
    this.#part = null;
    await part?.close();
  }

  /** Throws the export away: nothing of it is left, FILE is as it was. */
  async discard(): Promise<void> {
    await this.close();
    const { ops, paths, journal } = this.#known;
    const { identity, mode, base, started, bytes } = this.#state;
    await guarded(paths.part, 'exporting', async () => {
      // First nothing counts any more, so that a half-removed export is not taken for a damaged one.
      if (bytes > 0) await journal.write(newState(identity, mode, Date.parse(started), base));
      await removeIfThere(paths.part, ops, paths.mode);
      await journal.remove();
    });
  }

  async #change(work: (part: OpenFile) => Promise<void>): Promise<void> {
    const part = this.#part;
    if (part === null || this.#broken) throw new Error('this export cannot be written any more');
    this.#broken = true;
    await guarded(this.#known.paths.part, 'exporting', () => work(part));
    this.#broken = false;
  }

  async #write(part: OpenFile, text: string): Promise<void> {
    if (text === '') return;
    const bytes = Buffer.from(text);
    await part.write(bytes, this.#end);
    this.#end += bytes.length;
  }

  async #save(state: State, synced: Promise<void>): Promise<void> {
    const { journal } = this.#known;
    await journal.write(state, allDone([synced, this.#checkPart()]));
    this.#state = state;
  }

  /** The name of the part file still means the file that was written to. */
  async #checkPart(): Promise<void> {
    const { ops, paths } = this.#known;
    const found = await ops.lstat(paths.part);
    if (found?.kind !== 'file' || found.ino !== this.#inode) {
      throw damaged(`${paths.part} has been removed or replaced meanwhile`);
    }
  }
}

interface How {
  readonly resumed: boolean;
  readonly baseChanged: boolean;
}

/** The whole part file has taken FILE's place already. */
function isFinished(state: State, found: FileMark | null): boolean {
  return found !== null && found.size === state.bytes && !sameMark(state.base, found);
}
