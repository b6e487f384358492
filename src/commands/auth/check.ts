import type { checkKey } from './check-key.ts';

/** What checks a key: given to the commands, so that their tests need no service. */
export interface AuthDependencies {
  readonly checkKey: typeof checkKey;
}

/** The real call, loaded when it is made. */
export const authDependencies: AuthDependencies = {
  checkKey: async (...all) => (await import('./check-key.ts')).checkKey(...all),
};
