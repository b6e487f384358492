/** The rows of docs/failures.md, each with the name of a test (or of its row in a table) that shows it; `…` stands for `${}`. */
export const failureTests: Readonly<Record<string, string>> = {
  'a nightly run was killed, or the power failed':
    'killed again and again while several files are written: the same command resumes all of them',
  'the service is down for a night':
    'five feeds in a row with 500 end the run, with 404 they do not; no paid request',
  'the account has no credits':
    'a failure of the account ends the run; its code is graver than that of a reference',
  'a bound of `--max-credits` is reached': 'a spent budget stops paid requests, not checks',
  'a channel is deleted or misspelled':
    'a misspelled channel: one line of mail and exit 5; the others are updated',
  'a handle resolves to another channel, or to none':
    'a handle that now resolves to another channel: no request for that channel, no paid request',
  "a channel's feed is missing, empty or unreadable":
    'rule 3: no feed fails until the last check is seven days old, then costs a page a week',
  'the disk is full': 'a full disk during an update: FILE is unchanged, and the same command resumes',
  'the run of the night before is still writing':
    'the lock is per FILE: 10 for a file that another run writes, other references share the folder',
  'an export lost rows, or is damaged': 'a FILE …',
  '401, or 403 with a JSON body':
    'every status that is not 200, before, in the middle and at the end of a listing: nothing is charged',
  '403 with another body':
    'a 403 without a JSON body comes from something in front of the service: 8, the key is not rejected',
  '402': 'a failure of the account ends the run; its code is graver than that of a reference',
  '404': 'several references: one after another, one given twice is listed once, 404 stops only that one',
  '429 until retries are used up':
    'every status that is not 200, before, in the middle and at the end of a listing: nothing is charged',
  '429 without any success for `--max-wait`': '--max-wait limits the waits since the last success',
  '503 whose own request has waited `--max-wait`':
    'a 503 fails its reference once its own request has waited --max-wait, and the message says when to try again',
  '429 or 503 that asks for a longer wait than `--max-wait`':
    'Retry-After: more than --max-wait ends the run at once, and the message says when to try again',
  '408 or 5xx until retries are used up':
    'every status that is not 200, before, in the middle and at the end of a listing: nothing is charged',
  'any other 4xx': 'the message of an error body is printed, sanitized',
  'five references in a row with 7 or 8':
    'five references in a row that fail with 7 or 8 are an outage; a success ends the row, others do not count',
  'an error whose body breaks off':
    'the status alone decides if the body of an error breaks off: nothing is charged',
  'a redirect': 'no redirect is followed',
  'a 200 that is not JSON, or whose compressed body is incomplete':
    'a complete 200 that is not JSON is 8, paid, and not requested again',
  'a page without `has_more`, `results` or a usable token':
    'a page with an invalid envelope is printed as far as it is valid, and is 8',
  'a token for the second time, or ten empty pages in a row':
    'paging that would never end is 8, after the fewest pages that show it, which are printed',
  'a page identical to the one before':
    'paging that would never end is 8, after the fewest pages that show it, which are printed',
  'a body of more than 64 MiB': 'a body of over 64 MiB is 8, announced or not, compressed or not',
  'a token that is no longer accepted, or a list that repeats itself, in an export':
    'an interrupted export, of which the token is refused',
  'a 404 to a token': '…: 8; …',
  'an ID that cannot be a file name':
    'an ID from the service that cannot name a file: 8 for that reference, the others are exported',
  'remote text that would control a terminal': 'a table and its messages contain no control characters',
  'the service quotes the key': 'a key in a response appears in no message, log, summary or document',
  'connection refused, no such host':
    'no connection, at once or later: 7, certainly not charged, the run ends',
  'a reset, or a body that breaks off': 'a connection that breaks at any point: 7, possibly charged',
  'no complete response within `--timeout`':
    'a response that does not end within --timeout: 7, possibly charged',
  'a response that is not HTTP, or has the status 000':
    'a response that breaks the rules of HTTP is not requested again',
  'idle connections that the service closes without notice':
    'a service that closes connections without announcing it: after the first, each request has its own',
  'a certificate that cannot be trusted':
    'a certificate that cannot be trusted is 7: not retried, nothing sent, nothing charged',
  'a proxy that refuses the connection (407, 403)':
    'a proxy that refuses, cannot make or take the connection: 7, certainly not charged, its password not shown',
  'a proxy that is not there, or closes the connection':
    'a proxy that refuses, cannot make or take the connection: 7, certainly not charged, its password not shown',
  'a proxy that cannot reach the service':
    'a proxy that refuses, cannot make or take the connection: 7, certainly not charged, its password not shown',
  'a SOCKS proxy, or another address that is not of an HTTP proxy':
    'an invalid proxy address is a usage error that does not show it',
  'the reader of stdout closes the pipe':
    'a reader that has left before anything is written: 0, and at most one page',
  'stdout at a full disk':
    'stdout on a full disk is 1 in every format, in one line, and no further page is requested',
  'Ctrl-C, SIGTERM, SIGHUP':
    'a signal during a wait, before a response, and within a body: its code, one line, how to resume',
  '`timeout` sends two signals':
    'a signal that repeats within a second is the same request; a later one ends the program at once',
  'the terminal is closed': 'a terminal that closes: 129, no abort, no core file',
  'a reader that stops reading, or a FIFO without a reader':
    'a reader that stops reading is waited for, without further requests; a signal still ends the program',
  'a full disk while the response of `search -o` is written':
    'a full disk while a response is written: 1, FILE is unchanged, the paid response goes to stdout',
  'no space for the next page': 'a disk without space for a page: 1, and no paid request',
  'no inodes for the next page': 'a disk without inodes for the next page: 1, and no paid request',
  'any system call on a file fails': 'a system call on a file that fails, or is the last one before a kill',
  'the folder vanishes during an export': 'a folder removed during a run: 1, and no further paid request',
  'FILE becomes another file, a link or a FIFO while a page is fetched':
    'something else at the name of FILE stays, and the rows wait; once it is moved away, they are FILE',
  'FILE is created or changed by others during an export, or its folder is another one':
    '… is another one when the pages are there: 1, it stays, and nothing is paid twice',
  'FILE is a mount point, immutable, or open in another program (Windows)':
    'what keeps FILE from being replaced is said, and the rows wait',
  'rows of an interrupted run are damaged': 'an interrupted export, of which the rows are …',
  'the folder cannot be synced after FILE was replaced':
    'a system call on a file that fails, or is the last one before a kill',
  'a file system without sockets': 'a file system without sockets: no lock, no leftovers',
  'two runs with one `--seen` file': 'two runs on one FILE: the second ends at once with 10',
  'a dead process held the lock': 'a dead process holds no lock, a stopped one does',
  'no HOME':
    'without HOME, or with one that does not exist, a run with its settings in the environment works',
  'a bug': 'an uncaught error is one line and 1; its stack only with CHANLIST_DEBUG=1',
  'a wrong address or namespace at `auth login`':
    'verification: a key is stored only if the responses prove it, and auth status says the same',
  'a signal or a closed terminal at the key prompt':
    'a signal at the hidden prompt: 128 and its number, the terminal has echo again, no core',
  'a damaged store, or one of a newer version':
    'a store of a newer version is 2, a damaged one 1, for every command; it is not changed',
  'a stored key, and another address':
    'a stored key is sent to the origin that it was stored with, and to no other',
  'plain http, or a password in the address':
    'anything else is a usage error that names the setting and shows no secret',
  'a key given as a file name': 'a key that is given as a file name is not shown',
  'the ledger cannot be opened, read or written':
    'a ledger that cannot be used: nothing is sent with a bound per month; without, one warning',
  'the ledger belongs to another user':
    'a ledger of another owner: chown for every user; a new ledger starts to count at 0',
  'another process has locked the ledger for longer than `--timeout`':
    'a ledger that another process has locked for longer than --timeout: 1',
  'the clock is behind a line of a later ledger, by more than a day':
    'a clock that is behind: 1 before any request with a bound per month or day, else one warning',
  'no account': 'no account: 3, naming the variables that are missing',
  'address and key in the environment, and a HOME that cannot be used':
    'a container: with address and key in the environment nothing of HOME is needed',
  'a wrong address, typed at the prompt of `auth login`':
    'an address where nothing responds fails at once: no retries at a prompt',
  'the ledger is removed, renamed, truncated, or gets a second name (a hard link) during a run':
    'a ledger that was replaced during the run: 1 with a bound, which is not exceeded',
  'others can write to the ledger or its folder (mode 0777), or it has a second name':
    '… is refused: 1 with a bound per month, one warning without; it is not changed',
  'a ledger of a newer version': 'a ledger of a newer version is not changed: 2, with a bound or without',
  'a line of the ledger that cannot be read':
    'a line cut short at any byte damages only itself, and never lowers the sum',
  'no ledger at all, with a bound per day or month':
    'without any ledger a run with such a bound says that counting starts at 0',
  '`.chanlist` belongs to another user, or others can write to it':
    'a folder of another user: refused with its owner, but read by check if nobody else can write it',
  '`.chanlist` belongs to another user, in a sticky folder':
    "another user's folder in a sticky one: use another folder",
  'FILE belongs to another user, in a sticky folder':
    "another user's FILE in a sticky folder is found before anything is sent",
  '`.chanlist` is a link or a file':
    'anything but a real folder that others cannot write is refused and left unchanged',
  'FILE is a link of another user in a folder that others can write':
    'a link of another user is not followed in a folder that others can write',
  'a FIFO, folder or device at the name of an export':
    'a failure of one reference stops that one; a FIFO or a folder at the name of an export is refused',
  'a HOME of another user (root with `sudo`)': 'below a HOME of another user nothing is created',
  'the working directory has been removed, and a name is relative':
    'a working directory that has been removed: relative names are 2, absolute ones work',
  'an argument or a line of `--from` that is no reference':
    'the first 20 bad lines are named, the rest is counted',
  'an argument that is not UTF-8': 'an argument that is not UTF-8 is refused',
  'a path that is longer than the system allows':
    'a message repeats at most 200 characters of an argument; deep paths are refused at once',
  'a limit of the service is exceeded':
    'specification 8: limits are checked in code points before anything is sent',
  'an output that is an input, or another output, also through links':
    'no output destroys an input: 2 names both flags, nothing is sent, no file is changed',
  'a `--summary` that would replace an export, also through a link':
    '--summary through a link, or into a linked folder, replaces no export',
  'a `--summary` that cannot be created': 'a summary that cannot be created at the start: 1, nothing is sent',
  'a folder that cannot be written': 'a folder that cannot be written: 2, before any request',
  'an interrupted export with other arguments': 'an interrupted export with another …',
  '`--format` or `--fields` that differ from those of FILE': 'a complete FILE of other fields',
  'FILE of another channel or playlist': 'FILE of another channel',
  'a FILE without `videoId`, with `--update`': 'a complete FILE of fields without videoId',
  'one record of a folder that is refused, or a FILE that cannot be read':
    'an export whose record is refused stops that reference only',
  'a FILE without a record': 'a FILE without a record',
  'a complete FILE, without `--update` or `--restart`': 'a complete FILE of this request',
  '`--update` in a folder without any export, because a disk is not mounted': 'nothing',
  'a feed entry that the list never shows': 'rule 4: a dead ID costs at most 2 credits, on two days',
  'more than fifteen Shorts at once':
    'rule 1: a feed without a known ID, as after more than fifteen Shorts a day',
  '`numVideos` counts more than is listed': 'rule 5: numVideos above the listed entries is information only',
  'the clock was wrong for a night':
    'a clock that was a year ahead: times in the future are unknown, nothing waits for them',
  'a channel that was exported before is gone (404)':
    'a channel that vanished: gone since its last successful check, in every run; the others are updated',
  'two references of one channel, or one given twice': 'two references to one channel are one',
  'an entry twice in FILE, or entries of another channel': 'foreign and duplicate entries have no fix',
  'a recorded FILE that is gone, with `--update`': 'FILE gone, the record is there',
  'an empty list, for a FILE with entries':
    'a listing without entries never replaces a FILE that has some: 8',
  'a record of a newer version':
    'a damaged record is one warning, and FILE counts as one without a record; a newer one is 2; nothing is paid',
  'a damaged record':
    'a damaged record is one warning, and FILE counts as one without a record; a newer one is 2; nothing is paid',
  'many references fail with one cause':
    'failures with one code and status are one line: a count, three references, the first message',
  '`--print-new` to a reader that fails':
    'an interrupted update is finished and printed: every new entry at least once',
  '`--seen`, and a reader that fails': 'IDs are added only after stdout has accepted the entries',
};
