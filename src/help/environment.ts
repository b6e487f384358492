import { type FlagName, flagRow, flags, longName } from '../cli/flags.ts';

type Rows = readonly (readonly [variable: string, meaning: string])[];

/** The variables that set flags. */
const ofFlags: Rows = (Object.keys(flags) as FlagName[]).flatMap((name) =>
  (flagRow(name).variables ?? []).map(
    ([variable, meaning]) => [variable, `${meaning}; see ${longName(name)}`] as const,
  ),
);

/** The environment variables that the program reads. A flag takes precedence, an empty variable counts as unset. */
export const environment: Rows = [
  ...ofFlags,
  ['CHANLIST_DEBUG', '1: print the stack of an error'],
  ['HTTPS_PROXY', 'proxy between this machine and the service (or https_proxy)'],
  ['HTTP_PROXY', 'the same if HTTPS_PROXY is not set (or http_proxy)'],
  ['NO_PROXY', 'hosts to reach without the proxy, separated by commas (or no_proxy); loopback always is'],
  ['NODE_EXTRA_CA_CERTS', 'file of further certificates to trust (read by Node.js)'],
  ['FORCE_COLOR', 'not empty: print colour under TERM=dumb too; 0 or false: print none'],
  ['TERM', 'dumb: no colour, and no progress line'],
  ['COLUMNS', 'width of a terminal that does not report its own'],
  ['XDG_CONFIG_HOME', 'folder of the stored accounts (default: ~/.config; not on macOS and Windows)'],
  ['XDG_STATE_HOME', 'folder of the credit ledger, an absolute path (default: ~/.local/state)'],
  ['HOME', 'the home folder, if XDG_CONFIG_HOME or XDG_STATE_HOME is not set'],
  ['APPDATA, USERPROFILE', 'these folders on Windows'],
];
