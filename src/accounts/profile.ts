import { type Failure, usage } from '../errors.ts';
import type { CreditBound } from '../service/budget.ts';
import type { Service } from '../service/client.ts';
import { expectedOneOf } from '../text/nearest.ts';

/** A stored account. The key belongs to the origin of `baseUrl` and is sent to no other. */
export interface Profile extends Service {
  /** The bounds of every run with this profile; [] if there are none. */
  readonly maxCredits: readonly CreditBound[];
}

/** The profile that `auth login` writes if none is named. */
export const defaultProfile = 'default';

/** Parses a profile name: 1 to 64 characters, none of them a control or formatting character. */
export function parseProfileName(text: string, source: string): string {
  if (text === text.trim() && /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u.test(text)) return text;
  throw usage(
    `${source}: not a valid profile name`,
    'expected 1 to 64 characters, without surrounding white space or control characters, e.g. work',
  );
}

/** The usage error for the name of a profile that is not stored. */
export function unknownProfile(name: string, known: Iterable<string>): Failure {
  const names = [...known];
  const hint =
    names.length === 0 ? 'none is stored yet; run: chanlist auth login' : expectedOneOf(name, names);
  return usage(`there is no profile '${name}'`, hint);
}
