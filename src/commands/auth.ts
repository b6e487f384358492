import { type CommandRow, type Example, rowUnder } from '../cli/command.ts';

export const about = [
  'Stores accounts: each is a key together with the address that it belongs to, under a profile name. Without ' +
    '--profile, commands use the active profile. chanlist sends a key to its own address only.',
];

export const examples: readonly Example[] = [
  ['store a key; prompts for address and key', 'chanlist auth login'],
  ['show the account in use and verify its key', 'chanlist auth status'],
];

const action = rowUnder('Actions:');
const profiles = () => import('./auth/profiles.ts');

export const actions: readonly CommandRow[] = [
  action('login', 'verify a key and store it', () => import('./auth/login.ts')),
  action('status', 'show the account in use and verify its key', () => import('./auth/status.ts')),
  action('list', 'list the stored profiles', async () => (await profiles()).list),
  action(
    'switch <profile>',
    'make another profile the active one',
    async () => (await profiles()).switchProfile,
  ),
  action('logout [profile]', 'remove a profile from the store', async () => (await profiles()).logout),
];
