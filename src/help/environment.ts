import { defaultNamespace } from '../api/contract.ts';

/** The environment variables that the program reads. A flag goes before its variable, an empty one counts as unset. */
export const environment: readonly (readonly [variable: string, meaning: string])[] = [
  ['CHANLIST_PROFILE', 'which stored account, as --profile'],
  ['CHANLIST_BASE_URL', "the service's address, as --base-url"],
  ['CHANLIST_NAMESPACE', `the path word after /api/v2/, as --namespace (default: ${defaultNamespace})`],
  ['CHANLIST_API_KEY', 'the key; takes precedence over a stored one'],
  ['CHANLIST_API_KEY_FILE', 'a file that holds the key; read where CHANLIST_API_KEY is not set'],
  ['CHANLIST_MAX_CREDITS', 'bounds on what may be spent, separated by commas, as --max-credits'],
  ['CHANLIST_DEBUG', '1: show the stack of an error'],
  ['HTTPS_PROXY', 'proxy between this machine and the service (or https_proxy)'],
  ['HTTP_PROXY', 'the same, where HTTPS_PROXY is not set (or http_proxy)'],
  [
    'NO_PROXY',
    'hosts that are asked directly, separated by commas (or no_proxy); this machine itself always is',
  ],
  ['NODE_EXTRA_CA_CERTS', 'a file of further certificates to trust (read by Node.js)'],
  ['NO_COLOR', 'not empty: no colour, as --no-color'],
  ['FORCE_COLOR', 'not empty: colour also under TERM=dumb; 0 or false: none'],
  ['TERM', 'dumb: no colour, and no progress line'],
  ['COLUMNS', 'width of a terminal that does not tell its own'],
  ['XDG_CONFIG_HOME', 'folder of the stored accounts (default: ~/.config; not on macOS and Windows)'],
  ['XDG_STATE_HOME', 'folder of the ledger of credits (default: ~/.local/state)'],
  ['HOME', 'the home folder, where XDG_CONFIG_HOME or XDG_STATE_HOME is not set'],
  ['APPDATA, USERPROFILE', 'these folders on Windows'],
];
