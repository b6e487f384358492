import { Failure, usage } from '../errors.ts';

/** What an export is of: all of it has to fit for an interrupted one to go on. Canonical, so that it compares. */
export interface Identity {
  /** Name of the operation. */
  readonly command: string;
  /** As it is sent; `--continuation TOKEN` where the export began at a token. */
  readonly reference: string;
  readonly format: string;
  /** `--fields`, comma separated; null: all that the format shows. */
  readonly fields: string | null;
  /** Address and namespace of the service. */
  readonly service: string;
}

/** What tells whether a file has changed: nothing in it is shown. */
export interface FileMark {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

/** How far an export has come: what changes from page to page. */
export interface Progress {
  /** Entries and pages that are in the part file. */
  readonly entries: number;
  readonly pages: number;
  /** Token of the next page; null: the first one. */
  readonly token: string | null;
  /** What tells the last page from another (its digest). */
  readonly lastPage: string | null;
  /** Channel or playlist ID, once known. */
  readonly id: string | null;
  /** Of all runs of this export together. */
  readonly credits: { readonly confirmed: number; readonly possibly_charged: number };
  /** Whatever else the one who drives the export needs to go on; JSON. */
  readonly extra: { readonly [key: string]: unknown };
}

/** The content of `FILE.part.json`. */
export interface State extends Progress {
  readonly version: 1;
  readonly mode: 'export' | 'update';
  readonly identity: Identity;
  /** When the export began (ISO 8601). */
  readonly started: string;
  /** Bytes of the part file that count; the rest belongs to a page that was interrupted. */
  readonly bytes: number;
  /** The file that is to be replaced, as it was when the export began; null where there was none. */
  readonly base: FileMark | null;
  /** The part file is whole: it only has to take FILE's place. */
  readonly done: boolean;
}

/** The state of an export that begins. `now`: milliseconds since 1970. */
export function newState(identity: Identity, mode: State['mode'], now: number, base: FileMark | null): State {
  return {
    version: 1,
    mode,
    identity,
    started: new Date(now).toISOString(),
    bytes: 0,
    entries: 0,
    pages: 0,
    token: null,
    lastPage: null,
    id: null,
    base,
    done: false,
    credits: { confirmed: 0, possibly_charged: 0 },
    extra: {},
  };
}

/** A `damaged` failure (1) of one interrupted export, with the way out of it. */
export function damaged(what: string): Failure {
  return new Failure('failed', `${what}, so this interrupted export cannot go on`, {
    hint: '--restart throws it away and starts over, paying its pages again',
    scope: 'reference',
  });
}

/** The state in a text; `file` names it in the failure that is thrown where the text holds none. */
export function parseState(text: string, file: string): State {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged(`${file} is damaged`);
  }
  if (isObject(value) && typeof value.version === 'number' && value.version > 1) {
    throw damaged(`${file} was written by a newer version`);
  }
  if (!isState(value)) throw damaged(`${file} is damaged`);
  return value;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

function isState(value: unknown): value is State {
  if (!isObject(value)) return false;
  const { identity, credits, base } = value;
  return (
    value.version === 1 &&
    (value.mode === 'export' || value.mode === 'update') &&
    isObject(identity) &&
    [identity.command, identity.reference, identity.format, identity.service].every(isText) &&
    isTextOrNull(identity.fields) &&
    isText(value.started) &&
    [value.bytes, value.entries, value.pages].every(isCount) &&
    [value.token, value.lastPage, value.id].every(isTextOrNull) &&
    (!isText(value.token) || value.token.isWellFormed()) &&
    (base === null ||
      (isObject(base) &&
        [base.size, base.mtimeMs, base.ino].every((number) => typeof number === 'number'))) &&
    typeof value.done === 'boolean' &&
    isObject(credits) &&
    [credits.confirmed, credits.possibly_charged].every(isCount) &&
    isObject(value.extra)
  );
}

/** Characters of a reference that are still shown: a continuation token may have any length. */
const longestShown = 200;

/** How the arguments of a run differ from those of an interrupted export, in words. */
export function unlike(interrupted: Identity, now: Identity): string[] {
  const reference = ({ reference }: Identity): string => {
    return reference.length > longestShown ? `${reference.slice(0, longestShown)}…` : reference;
  };
  const fields = ({ fields }: Identity): string =>
    fields === null ? 'without --fields' : `with --fields ${fields}`;
  const parts = [
    ['by ', interrupted.command, now.command],
    ['of ', reference(interrupted), reference(now)],
    ['as ', interrupted.format, now.format],
    ['', fields(interrupted), fields(now)],
    ['from ', interrupted.service, now.service],
  ] as const;
  return parts.filter(([, was, is]) => was !== is).map(([word, was, is]) => `${word}${was}, not ${is}`);
}

/** As `unlike`, and whether only one of the two is an update: that holds new entries alone. */
export function misfits(
  interrupted: Pick<State, 'identity' | 'mode'>,
  now: Pick<State, 'identity' | 'mode'>,
): string[] {
  const update = interrupted.mode === 'update' ? 'with --update' : 'without --update';
  return [...unlike(interrupted.identity, now.identity), ...(interrupted.mode === now.mode ? [] : [update])];
}

/**
 * Throws a usage error that says how the arguments of a run differ from the interrupted export's, if they do.
 * `file` is the one that is exported to.
 */
export function checkIdentity(
  interrupted: Pick<State, 'identity' | 'mode'>,
  now: Pick<State, 'identity' | 'mode'>,
  file: string,
): void {
  const differences = misfits(interrupted, now);
  if (differences.length === 0) return;
  throw usage(
    `${file}: the interrupted export is ${differences.join('; ')}`,
    'go on with the arguments it was begun with, or throw it away with --restart',
  );
}
