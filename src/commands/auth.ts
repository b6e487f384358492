import type { Command } from 'commander';
import type { CommonOptions } from '../cli/options.ts';
import type { Start } from '../cli/program.ts';
import { document, type Example } from '../help/document.ts';
import type { LoginOptions } from './auth/login.ts';

/** Adds the actions of `chanlist auth`; the work of each is in a file of its own in `auth/`. */
export function register(command: Command, start: Start): void {
  document(
    command,
    [
      'Stores accounts: each is a key together with the address that it belongs to, under a profile name. Without ' +
        '--profile, commands use the active profile. chanlist sends a key to its own address only.',
    ],
    [
      ['store a key; prompts for address and key', 'chanlist auth login'],
      ['show the account in use and verify its key', 'chanlist auth status'],
    ],
  );
  const action = (name: string, usage: string, summary: string, about: string[], examples: Example[]) => {
    const added = command.command(name).usage(`${usage} [options]`.trim()).summary(summary);
    document(added, about, examples);
    return added;
  };

  const login = action(
    'login',
    '',
    'verify a key and store it',
    [
      'Verifies a key with a free request and stores it. Prompts for address and key at a terminal; elsewhere it ' +
        'reads the key from stdin, or from --key-file. --max-credits is stored too, and limits every run with the profile.',
      'An existing profile (default: default) gets the new key and keeps its address, namespace and --max-credits ' +
        'unless they are given. In a script, a new profile becomes the active one only if there is none.',
    ],
    [
      ['store a key at a terminal; prompts for address and key', 'chanlist auth login'],
      [
        'store the key of a local sandbox (chanlist serve) in a script',
        'echo sk_sandbox | chanlist auth login --profile demo --base-url http://127.0.0.1:8787',
      ],
      ['store a key and a limit of 3,000 credits per month', 'chanlist auth login --max-credits 3000/month'],
    ],
  );
  login.action(() =>
    start(
      async (options, context) => (await import('./auth/login.ts')).runLogin(options, context),
      login.optsWithGlobals<LoginOptions>(),
    ),
  );

  const status = action(
    'status',
    '',
    'show the account in use and verify its key',
    ['Shows the account in use and verifies its key with a free request.'],
    [
      ['show the account in use', 'chanlist auth status'],
      ['print it as JSON for a script', 'chanlist auth status --json'],
    ],
  );
  status.action(() =>
    start(
      async (options, context) => (await import('./auth/status.ts')).runStatus(options, context),
      status.optsWithGlobals<CommonOptions>(),
    ),
  );

  const list = action(
    'list',
    '',
    'list the stored profiles',
    ['Lists the stored profiles. Sends nothing.'],
    [['list the profiles: a table at a terminal, ndjson elsewhere', 'chanlist auth list']],
  );
  list.action(() =>
    start(
      async (options, context) => (await import('./auth/list.ts')).runList(options, context),
      list.optsWithGlobals<CommonOptions>(),
    ),
  );

  const change = action(
    'switch',
    '<profile>',
    'make another profile the active one',
    ['Makes a stored profile the active one.'],
    [['use the profile demo from now on', 'chanlist auth switch demo']],
  );
  change
    .argument('<profile>', 'name of the profile')
    .action((name: string) =>
      start(
        async (options, context) => (await import('./auth/switch.ts')).runSwitch(name, options, context),
        change.optsWithGlobals<CommonOptions>(),
      ),
    );

  const logout = action(
    'logout',
    '[profile]',
    'remove a profile from the store',
    ['Removes a profile from the store: the named one, or else the active one.'],
    [['remove the profile demo', 'chanlist auth logout demo']],
  );
  logout
    .argument('[profile]', 'name of the profile; default: the active one')
    .action((name: string | undefined) =>
      start(
        async (options, context) => (await import('./auth/logout.ts')).runLogout(name, options, context),
        logout.optsWithGlobals<CommonOptions>(),
      ),
    );
}
