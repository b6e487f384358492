import type { Context } from '../../context.ts';
import type { Service } from '../../service/client.ts';

/** The free call that checks a key: given to the commands, so that their tests need no service. */
export type CheckKey = (
  service: Service,
  context: Context,
  options: { timeout: number },
) => Promise<'good' | 'no credits'>;

export interface AuthDependencies {
  readonly checkKey: CheckKey;
}

/** The real call, loaded when it is made. */
export const authDependencies: AuthDependencies = {
  checkKey: async (service, context, options) => {
    const { checkKey } = await import('../../service/check-key.ts');
    return checkKey(service, context, options);
  },
};
