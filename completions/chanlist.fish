# fish completion for chanlist
# Generated from the program by: npm run generate. Changes made here are lost.

# The command on the line, without flags and their values, one word per line.
function __chanlist_words
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        set -l word $words[1]
        set -e words[1]
        switch $word
            case --profile --base-url --namespace --key-file -f --format --fields -o --output --summary --max-credits --timeout --retries --max-wait --from --concurrency -n --limit --output-dir --continuation --seen --max-age --month --by --port --host --key --credits --page-size --latency --seed --rate --grow --fail
                set -e words[1]
            case '-*'
            case '*'
                echo -- $word
        end
    end
end

# Succeeds if one of the given commands ('' for none yet) is on the line.
function __chanlist_at
    set -l words (__chanlist_words)
    for path in $argv
        switch $path
            case ''
                set -q words[1]; or return 0
            case '* *'
                test "$words[1..2]" = "$path"; and return 0
            case '*'
                test "$words[1]" = "$path"; and return 0
        end
    end
    return 1
end

# Succeeds if only the given command is on the line.
function __chanlist_only
    set -l words (__chanlist_words)
    test "$words" = "$argv"
end

# Prints the names of the stored profiles, one per line.
function __chanlist_profiles
    set -l folder $HOME/.config
    set -q XDG_CONFIG_HOME; and test -n "$XDG_CONFIG_HOME"; and set folder $XDG_CONFIG_HOME
    test (uname) = Darwin; and set folder $HOME/Library/Preferences
    set -l store $folder/chanlist/config.json
    test -r $store; or return 0
    tr -d '\r\n' <$store | grep -o '"[^"\\]*"[[:space:]]*:[[:space:]]*{' |
        sed -e 1d -e 's/^"//' -e 's/"[[:space:]]*:[[:space:]]*{$//'
end

# Prints the fields that are not in the comma list yet.
function __chanlist_fields
    set -l token (string replace -r '^--fields=' '' -- (commandline -ct))
    set -l before (string match -r '^.*,' -- $token)
    set -l named (string split , -- $before)
    for field in $argv
        contains -- $field $named; or echo "$before$field"
    end
end

complete -c chanlist -f

complete -c chanlist -n '__chanlist_at \'\'' -a resolve -d 'turn a handle, URL or ID into the canonical ID (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a search -d 'search one channel (1 credit)'
complete -c chanlist -n '__chanlist_at \'\'' -a uploads -d 'list every upload (1 credit per page of about 100)'
complete -c chanlist -n '__chanlist_at \'\'' -a latest -d 'list the latest 15 uploads (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a playlist -d 'list every video of a public playlist (1 credit per page)'
complete -c chanlist -n '__chanlist_at \'\'' -a show -d 'print ndjson exports in any format (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a check -d 'find incomplete and stale exports (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a credits -d 'print the credits spent on this machine (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a auth -d 'manage stored accounts'
complete -c chanlist -n '__chanlist_at \'\'' -a serve -d 'run the service itself on this machine: the sandbox'
complete -c chanlist -n '__chanlist_at \'\'' -a completion -d 'print a completion script: bash, zsh, fish'
complete -c chanlist -n '__chanlist_at \'\'' -a help -d 'print help on a command or topic: flags, fields, exit-codes, formats, environment'
complete -c chanlist -n '__chanlist_only auth' -a login -d 'verify a key and store it'
complete -c chanlist -n '__chanlist_only auth' -a status -d 'show the account in use and verify its key'
complete -c chanlist -n '__chanlist_only auth' -a list -d 'list the stored profiles'
complete -c chanlist -n '__chanlist_only auth' -a switch -d 'make another profile the active one'
complete -c chanlist -n '__chanlist_only auth' -a logout -d 'remove a profile from the store'

complete -c chanlist -n '__chanlist_only show' -r -F
complete -c chanlist -n '__chanlist_only check' -r -F
complete -c chanlist -n '__chanlist_only auth switch' -x -a '(__chanlist_profiles)'
complete -c chanlist -n '__chanlist_only auth logout' -x -a '(__chanlist_profiles)'
complete -c chanlist -n '__chanlist_only completion' -x -a 'bash zsh fish'
complete -c chanlist -n '__chanlist_only help' -x -a 'resolve search uploads latest playlist show check credits auth serve completion help flags fields exit-codes formats environment'

complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status'" -l profile -x -a '(__chanlist_profiles)' -d 'use this account (CHANLIST_PROFILE)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status'" -l base-url -x -d 'use this address (CHANLIST_BASE_URL)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status' serve" -l namespace -x -d 'set the path segment after /api/v2/ (CHANLIST_NAMESPACE; default: media)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status'" -l key-file -r -F -d 'read the key from <file> (CHANLIST_API_KEY, CHANLIST_API_KEY_FILE)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist" -l sandbox -d 'use a private local service with demo data: no account, no network'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist show" -s f -l format -x -a 'table json ndjson csv id' -d 'print table, json, ndjson or csv (lists: id too); see: chanlist help formats'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist show check credits 'auth status' 'auth list'" -l json -d 'short for --format json'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist show check credits 'auth status' 'auth list'" -l ndjson -d 'short for --format ndjson'
complete -c chanlist -n "__chanlist_at ''" -l fields -x -a '(__chanlist_fields channel_id resolved_from type videoId title channelId channelTitle channelHandle channelVerified lengthText viewCountText publishedTimeText hasCaptions thumbnails index members_only author published updated link description thumbnail viewCount starRating @reference @seconds @views @published)' -d 'print these fields, in this order; * is all fields; may repeat; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist show" -s o -l output -r -F -d 'write to <file>; - is stdout'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist" -l summary -r -F -d 'write a JSON report of the run'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist show check credits 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout'" -l no-color -d 'print no colour (NO_COLOR)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login'" -l max-credits -x -d 'spend at most <n> credits in this run; <n>/day, <n>/month: in all runs; may repeat (CHANLIST_MAX_CREDITS)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist" -l dry-run -d 'print the first requests and their cost; send nothing'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status'" -l timeout -x -d 'limit the time of each request, body included (default: 30)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status'" -l retries -x -d 'retry each request at most <n> times after errors (default: 4)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status'" -l max-wait -x -d 'give up after this much waiting without success (default: 120)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist show check credits 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout'" -s q -l quiet -d 'print errors only'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist show check credits 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout'" -s v -l verbose -d 'print tally, waits and retries even if stderr is not a terminal; -vv: every request'
complete -c chanlist -n "__chanlist_at ''" -s V -l version -d 'print the version'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist show check credits auth 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout' serve completion help" -s h -l help -d 'print help'
complete -c chanlist -n "__chanlist_at resolve uploads latest playlist" -l from -r -F -d 'read references from <file>, one per line; - is stdin'
complete -c chanlist -n "__chanlist_at resolve uploads latest playlist" -l concurrency -x -d 'process <n> references at once (free commands, --output-dir) (default: 4)'
complete -c chanlist -n "__chanlist_at resolve" -l fields -x -a '(__chanlist_fields channel_id resolved_from @reference @seconds @views @published)' -d 'print these fields, in this order; * is all fields; may repeat; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at search" -s n -l limit -x -d 'request at most <n> results, 1 to 50 (default: 30)'
complete -c chanlist -n "__chanlist_at search" -l fields -x -a '(__chanlist_fields type videoId title channelId channelTitle channelHandle channelVerified lengthText viewCountText publishedTimeText hasCaptions thumbnails index @reference @seconds @views @published)' -d 'print these fields, in this order; * is all fields; may repeat; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at uploads playlist" -s n -l limit -x -d 'list <n> entries per reference'
complete -c chanlist -n "__chanlist_at uploads" -l all -d 'list every page; with --update: fetch every page again'
complete -c chanlist -n "__chanlist_at uploads playlist" -l output-dir -x -a '(__fish_complete_directories)' -d 'write one file per reference to <dir>: <ID>.ndjson'
complete -c chanlist -n "__chanlist_at uploads" -l update -d 'add new uploads to a complete ndjson file; free if there are none'
complete -c chanlist -n "__chanlist_at uploads" -l print-new -d 'also print the entries that --update adds'
complete -c chanlist -n "__chanlist_at uploads playlist" -l restart -d 'export again, and pay for every page again'
complete -c chanlist -n "__chanlist_at uploads playlist" -l continuation -x -d 'resume from a continuation token, without a reference'
complete -c chanlist -n "__chanlist_at uploads playlist show" -l fields -x -a '(__chanlist_fields videoId title channelId channelTitle channelHandle lengthText viewCountText thumbnails index publishedTimeText members_only @reference @seconds @views @published)' -d 'print these fields, in this order; * is all fields; may repeat; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at latest show" -s n -l limit -x -d 'print at most <n> entries per channel or file'
complete -c chanlist -n "__chanlist_at latest" -l seen -r -F -d 'print only entries not in <file>, then add their IDs'
complete -c chanlist -n "__chanlist_at latest" -l fields -x -a '(__chanlist_fields videoId title channelId author published updated link description thumbnail viewCount starRating channelTitle channelHandle lengthText viewCountText thumbnails index @reference @seconds @views @published)' -d 'print these fields, in this order; * is all fields; may repeat; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at playlist" -l all -d 'list every page, at a terminal too'
complete -c chanlist -n "__chanlist_at check" -l from -r -F -d 'expect an export of each reference in <file>; - is stdin'
complete -c chanlist -n "__chanlist_at check" -l max-age -x -d 'report exports whose last successful check is older, e.g. 36h or 2d'
complete -c chanlist -n "__chanlist_at check credits 'auth status' 'auth list'" -s f -l format -x -a 'table json ndjson csv' -d 'print table, json, ndjson or csv (lists: id too); see: chanlist help formats'
complete -c chanlist -n "__chanlist_at credits" -l month -x -d 'show another month'
complete -c chanlist -n "__chanlist_at credits" -l by -x -a 'day command reference' -d 'show parts: day, command, reference'
complete -c chanlist -n "__chanlist_at 'auth login'" -l no-verify -d 'store the key without verifying it'
complete -c chanlist -n "__chanlist_at serve" -l port -x -d 'listen on this port; 0: any free port (default: 8787)'
complete -c chanlist -n "__chanlist_at serve" -l host -x -d 'listen on this address (default: 127.0.0.1)'
complete -c chanlist -n "__chanlist_at serve" -l key -x -d 'accept only this key (default: sk_sandbox)'
complete -c chanlist -n "__chanlist_at serve" -l credits -x -d 'start with <n> credits (default: 1000)'
complete -c chanlist -n "__chanlist_at serve" -l page-size -x -d 'send <n> entries per page (default: 100)'
complete -c chanlist -n "__chanlist_at serve" -l latency -x -d 'delay every response by <ms> milliseconds (default: 0)'
complete -c chanlist -n "__chanlist_at serve" -l seed -x -d 'seed the random choice of the requests that fail (default: 1)'
complete -c chanlist -n "__chanlist_at serve" -l rate -x -d 'allow <n> requests per minute; respond with 429 and Retry-After beyond'
complete -c chanlist -n "__chanlist_at serve" -l grow -x -d 'add about <n> new uploads per channel and minute (default: 0)'
complete -c chanlist -n "__chanlist_at serve" -l plain-tokens -d 'issue tokens that need no encoding in a URL'
complete -c chanlist -n "__chanlist_at serve" -l fail -x -d 'make a share of the requests fail, e.g. 429:0.1; may repeat'
