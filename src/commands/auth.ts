import type { Command } from 'commander';
import type { Start } from '../cli/commands.ts';
import { readFlags, sharedOptions } from '../cli/options.ts';
import { usage } from '../errors.ts';
import { document } from '../help/document.ts';
import { runList } from './auth/list.ts';
import { runLogin } from './auth/login.ts';
import { runLogout } from './auth/logout.ts';
import { runStatus } from './auth/status.ts';
import { runSwitch } from './auth/switch.ts';

/** Adds the actions of `chanlist auth`; each has a file of its own in `auth/`. */
export function register(command: Command, start: Start): void {
  document(
    command,
    [
      'Stores accounts: each is a key together with the address that it belongs to, under a profile name. The active ' +
        'profile is used if none is named. A key is sent to its own address only.',
    ],
    [
      ['store a key; prompts for address and key', 'chanlist auth login'],
      ['show the account in use and verify its key', 'chanlist auth status'],
    ],
  );
  const login = command.command('login').usage('[options]').summary('verify a key and store it');
  login.action(() => start(runLogin, { ...sharedOptions(login), ...readFlags(login, ['verify']) }));
  document(
    login,
    [
      'Verifies a key with a free call and stores it. Prompts for address and key at a terminal; elsewhere it ' +
        'reads the key from stdin, or from --key-file. --max-credits is stored too, and bounds every call with the profile.',
      'A profile that exists (default: default) gets the new key and keeps its address, namespace and bound unless ' +
        'they are given. In a script, a new profile becomes the active one only if there is none.',
    ],
    [
      ['store a key at a terminal; prompts for address and key', 'chanlist auth login'],
      [
        'store the key of a local sandbox (chanlist serve) in a script',
        'echo sk_sandbox | chanlist auth login --profile demo --base-url http://127.0.0.1:8787',
      ],
      [
        'store a key and a bound: at most 3,000 credits per month',
        'chanlist auth login --max-credits 3000/month',
      ],
    ],
  );
  const status = command
    .command('status')
    .usage('[options]')
    .summary('show the account in use and verify its key');
  status.action(() => start((options, context) => runStatus(options, context), sharedOptions(status)));
  document(
    status,
    ['Shows the account in use and verifies its key with a free call.'],
    [
      ['show the account in use', 'chanlist auth status'],
      ['print it as JSON for a script', 'chanlist auth status --json'],
    ],
  );
  const list = command.command('list').usage('[options]').summary('list the stored profiles');
  list.action(() => start(runList, sharedOptions(list)));
  document(
    list,
    ['Lists the stored profiles. Sends nothing.'],
    [['list the profiles: a table at a terminal, ndjson elsewhere', 'chanlist auth list']],
  );
  const change = command
    .command('switch')
    .usage('<profile> [options]')
    .summary('make another profile the active one')
    .argument('[profile]', 'name of the profile; --profile works too')
    .action((name: string | undefined) => {
      const shared = sharedOptions(change);
      const to = oneName(name, shared.profile);
      if (to === undefined) throw usage('auth switch needs <profile>', 'see: chanlist auth list');
      start((options, context) => runSwitch(to, options, context), shared);
    });
  document(
    change,
    ['Makes a stored profile the active one.'],
    [['use the profile demo from now on', 'chanlist auth switch demo']],
  );
  const logout = command
    .command('logout')
    .usage('[profile] [options]')
    .summary('remove a profile from the store')
    .argument('[profile]', 'name of the profile; --profile works too; default: the active one')
    .action((name: string | undefined) => {
      const shared = sharedOptions(logout);
      const named = oneName(name, shared.profile);
      start((options, context) => runLogout(named, options, context), shared);
    });
  document(
    logout,
    ['Removes a profile from the store: the named one, or else the active one.'],
    [['remove the profile demo', 'chanlist auth logout demo']],
  );
}

/** The name from the argument or `--profile`. Throws a usage error if they differ. */
function oneName(argument: string | undefined, flag: string | undefined): string | undefined {
  if (argument !== undefined && flag !== undefined && argument !== flag)
    throw usage(`two profiles are given: ${argument} and ${flag}`, 'give one');
  return argument ?? flag;
}
