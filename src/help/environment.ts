import type { Rows } from './rows.ts';

/** The environment variables that the program reads. */
export const environment: Rows = [
  ['CHANLIST_PROFILE', 'stored account to use; see --profile'],
  ['CHANLIST_BASE_URL', 'address of the service; see --base-url'],
  ['CHANLIST_NAMESPACE', 'path segment after /api/v2/ (default: media); see --namespace'],
  ['CHANLIST_API_KEY', 'the key; takes precedence over CHANLIST_API_KEY_FILE and a stored key'],
  ['CHANLIST_API_KEY_FILE', 'file with the key; see --key-file'],
  ['CHANLIST_MAX_CREDITS', 'limits on the credits to spend, separated by commas; see --max-credits'],
  ['CHANLIST_DEBUG', '1: print the stack of an error'],
  ['NO_COLOR', 'not empty: print no colour; see --no-color'],
  ['FORCE_COLOR', 'not empty: print colour under TERM=dumb too; 0 or false: print none'],
  ['TERM', 'dumb: no colour, and no progress line'],
  ['COLUMNS', 'width of a terminal that does not report its own'],
  ['HTTPS_PROXY', 'proxy between this machine and the service (or https_proxy)'],
  ['HTTP_PROXY', 'the same if HTTPS_PROXY is not set (or http_proxy)'],
  ['NO_PROXY', 'hosts to reach without the proxy, separated by commas (or no_proxy); loopback always is'],
  ['NODE_EXTRA_CA_CERTS', 'file of further certificates to trust (read by Node.js)'],
  ['XDG_CONFIG_HOME', 'folder of the stored accounts (default: ~/.config; not on macOS and Windows)'],
  ['XDG_STATE_HOME', 'folder of the credit ledger, an absolute path (default: ~/.local/state)'],
  ['HOME', 'home folder, if XDG_CONFIG_HOME or XDG_STATE_HOME is not set'],
  ['APPDATA', 'folder of the stored accounts on Windows'],
  ['USERPROFILE', 'home folder on Windows'],
];

/** The files that the program reads and writes. */
export const files: Rows = [
  [
    'accounts',
    'mode 0600, in ~/.config/chanlist/config.json (macOS: ~/Library/Preferences; Windows: %APPDATA%)',
  ],
  [
    'ledger',
    'credits-YYYY-MM.ndjson in ~/.local/state/chanlist, mode 0600: every paid request and its outcome',
  ],
  ['exports', '.chanlist beside FILE: what updates and interrupted runs need; keep it with FILE'],
  [
    '--from',
    'one reference per line; blank lines and comments (# at the start or after a space) are skipped',
  ],
  ['--seen', 'one ID or reference per line: videos, and references already requested'],
  ['--key-file', 'the key; white space around it is ignored'],
];
