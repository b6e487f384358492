import type { RunCommand } from '../../src/cli/command.ts';
import type { CommonOptions } from '../../src/cli/options.ts';
import type { Context } from '../../src/context.ts';
import { Stderr } from '../../src/output/stderr.ts';

/** A command as `main` calls it. */
export const withStderr =
  <Options extends CommonOptions>(run: RunCommand<Options>) =>
  (options: Options, context: Context): Promise<number> =>
    run(options, context, new Stderr(context, options));

/** The shared options of a call with these flags. */
export function options(flags: Partial<CommonOptions> = {}): CommonOptions {
  return {
    sandbox: false,
    format: null,
    fields: null,
    output: null,
    summary: null,
    timeout: 30,
    retries: 4,
    maxWait: 120,
    maxCredits: [],
    dryRun: false,
    quiet: false,
    verbose: 0,
    color: true,
    invocation: { name: 'test', flags: [] },
    ...flags,
  };
}

export type LoginOptions = CommonOptions & { readonly noVerify: boolean };

/** The options of `auth login --no-verify` with these flags. */
export function loginOptions(flags: Partial<LoginOptions> = {}): LoginOptions {
  return { ...options(flags), noVerify: true };
}
