import { type Failure, usage } from '../errors.ts';
import type { BaseUrl } from '../service/address.ts';
import { nearest } from '../text/nearest.ts';
import type { CreditBound } from './bounds.ts';

/** A stored account. The key belongs to the origin of `baseUrl` and is sent to no other. */
export interface Profile {
  readonly baseUrl: BaseUrl;
  readonly namespace: string;
  readonly key: string;
  /** The bounds that hold for every call with this profile; [] if there are none. */
  readonly maxCredits: readonly CreditBound[];
  /** Whether a call with this address, namespace and key has succeeded. */
  readonly verified: boolean;
}

/** The profile that `auth login` writes if none is named. */
export const defaultProfile = 'default';

/** Parses a profile name: 1 to 64 characters, none of them a control or formatting character. */
export function parseProfileName(text: string, source: string): string {
  if (text === text.trim() && /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u.test(text)) return text;
  throw usage(
    `${source}: not the name of a profile`,
    'expected 1 to 64 characters, without surrounding white space or control characters, e.g. work',
  );
}

/** The usage error for the name of a profile that is not stored. */
export function unknownProfile(name: string, known: Iterable<string>): Failure {
  const names = [...known];
  const meant = nearest(name, names);
  const shown = shortList(names);
  const hint =
    names.length === 0
      ? 'none is stored yet; run: chanlist auth login'
      : meant === undefined
        ? `stored: ${shown}`
        : `did you mean ${meant}? stored: ${shown}`;
  return usage(`there is no profile '${name}'`, hint);
}

/** Names for a message, the first eight of them. */
export function shortList(names: Iterable<string>): string {
  const all = [...names];
  return all.length > 8 ? `${all.slice(0, 8).join(', ')}, ...` : all.join(', ');
}
