/** The files that the program reads and writes: path and meaning. */
export const fileRows: readonly (readonly [path: string, meaning: string])[] = [
  [
    '~/.config/chanlist/config.json',
    'the stored accounts, mode 0600 (macOS: below ~/Library/Preferences; Windows: below %APPDATA%)',
  ],
  [
    '~/.local/state/chanlist/credits-YYYY-MM.ndjson',
    'the ledger: every paid request of a month and its outcome, mode 0600',
  ],
  ['FILE.part, FILE.part.json', 'rows and resume data of an interrupted export to FILE'],
  ['FILE.lock', 'held while a run writes FILE'],
  [
    'DIR/.chanlist/FILE.json',
    'what chanlist remembers of the export FILE in DIR; see: chanlist help formats',
  ],
  [
    'a list for --from',
    'one reference per line; blank lines and comments (# at the start or after a space) are skipped',
  ],
  ['a file for --seen', 'one ID per line: videos, and channels already looked at'],
  ['a file for --key-file', 'the key, and nothing else but white space around it'],
];
