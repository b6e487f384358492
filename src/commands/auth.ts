import type { Command } from 'commander';
import type { Start } from '../cli/commands.ts';
import { type SharedOptions, sharedOptions } from '../cli/options.ts';
import type { Context } from '../context.ts';
import { usage } from '../errors.ts';
import { document } from '../help/document.ts';
import { runList } from './auth/list.ts';
import { runLogin } from './auth/login.ts';
import { runLogout } from './auth/logout.ts';
import { runStatus } from './auth/status.ts';
import { runSwitch } from './auth/switch.ts';

/** Adds the actions of `chanlist auth`, each of which has a file of its own below `auth/`. */
export function register(command: Command, start: Start): void {
  const add = (
    name: string,
    summary: string,
    run: (options: SharedOptions, context: Context) => Promise<number>,
  ): Command => {
    const action = command.command(name).usage('[options]').summary(summary);
    return action.action(() => start((options, context) => run(options, context), sharedOptions(action)));
  };
  document(
    command,
    [
      'Stores accounts: a key together with the address that it belongs to, under the name of a profile. The active ' +
        'profile is used where none is named. A key is sent to its own address only.',
    ],
    [
      ['store a key; asks for address and key', 'chanlist auth login'],
      ['the account in use, and whether its key is taken', 'chanlist auth status'],
    ],
  );
  document(
    add('login', 'check a key and store it', runLogin),
    [
      'Checks a key with a free call and stores it. Asks for address and key at a terminal; elsewhere the key is ' +
        'read from stdin, or from --key-file. The profile (without --profile: default) becomes the active one.',
    ],
    [
      ['at a terminal: asks for what is not given', 'chanlist auth login'],
      [
        'in a script; here for the sandbox of: chanlist serve',
        'echo sk_sandbox | chanlist auth login --profile demo --base-url http://127.0.0.1:8787',
      ],
    ],
  );
  document(
    add('status', 'the account in use, and whether its key is taken', runStatus),
    ['Shows the account in use and checks its key with a free call.'],
    [
      ['the account in use', 'chanlist auth status'],
      ['the same for a script', 'chanlist auth status --json'],
    ],
  );
  document(
    add('list', 'the stored profiles', runList),
    ['Lists the stored profiles. Nothing is sent.'],
    [['a table at a terminal, ndjson elsewhere', 'chanlist auth list']],
  );
  const change = command
    .command('switch')
    .usage('<profile> [options]')
    .summary('make another profile the active one')
    .argument('[profile]', 'its name; --profile gives it as well')
    .action((name: string | undefined) => {
      const shared = sharedOptions(change);
      const to = name ?? shared.profile;
      if (to === undefined) throw usage('auth switch needs <profile>', 'see: chanlist auth list');
      if (shared.profile !== undefined && to !== shared.profile)
        throw usage(`two profiles are given: ${to} and ${shared.profile}`, 'give one');
      start((options, context) => runSwitch(to, options, context), shared);
    });
  document(
    change,
    ['Makes a stored profile the active one.'],
    [['use the profile demo from now on', 'chanlist auth switch demo']],
  );
  document(
    add('logout', 'remove a profile from the store', runLogout),
    ['Removes a profile from the store: the active one, unless --profile names another.'],
    [['remove the profile demo', 'chanlist auth logout --profile demo']],
  );
}
