# fish completion for chanlist
# Generated from the program by: npm run generate. Changes made here are lost.

# The command on the line, without flags and their values, one word a line.
function __chanlist_words
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        set -l word $words[1]
        set -e words[1]
        switch $word
            case --profile --base-url --namespace --key-file -f --format --fields -o --output --summary --timeout --retries --max-wait --from --concurrency -n --limit --max-credits --continuation --output-dir --month --by --port --host --key --credits --page-size --latency --seed --fail
                set -e words[1]
            case '-*'
            case '*'
                echo -- $word
        end
    end
end

# Succeeds where one of the given commands ('' for none yet) is on the line.
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

# Succeeds where nothing but the given command is on the line.
function __chanlist_only
    set -l words (__chanlist_words)
    test "$words" = "$argv"
end

# Names of the stored profiles, one a line.
function __chanlist_profiles
    set -l folder $HOME/.config
    set -q XDG_CONFIG_HOME; and test -n "$XDG_CONFIG_HOME"; and set folder $XDG_CONFIG_HOME
    test (uname) = Darwin; and set folder $HOME/Library/Preferences
    set -l store $folder/chanlist/config.json
    test -r $store; or return 0
    tr -d '\r\n' <$store | grep -o '"[^"\\]*"[[:space:]]*:[[:space:]]*{' |
        sed -e 1d -e 's/^"//' -e 's/"[[:space:]]*:[[:space:]]*{$//'
end

# Fields of a list with commas, those that are not in it yet.
function __chanlist_fields
    set -l token (string replace -r '^--fields=' '' -- (commandline -ct))
    set -l before (string match -r '^.*,' -- $token)
    set -l named (string split , -- $before)
    for field in $argv
        contains -- $field $named; or echo "$before$field"
    end
end

complete -c chanlist -f

complete -c chanlist -n '__chanlist_at \'\'' -a resolve -d 'handle, URL or ID -> canonical ID (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a search -d 'videos inside one channel (1 credit)'
complete -c chanlist -n '__chanlist_at \'\'' -a uploads -d 'every upload (1 credit a page of about 100)'
complete -c chanlist -n '__chanlist_at \'\'' -a latest -d 'the latest 15 (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a playlist -d 'every video of a public playlist (1 credit a page)'
complete -c chanlist -n '__chanlist_at \'\'' -a credits -d 'what was spent, from the local ledger (free, offline)'
complete -c chanlist -n '__chanlist_at \'\'' -a auth -d 'login, status, list, switch, logout'
complete -c chanlist -n '__chanlist_at \'\'' -a serve -d 'the service itself, locally: the sandbox'
complete -c chanlist -n '__chanlist_at \'\'' -a completion -d 'print the completion script for bash, zsh or fish'
complete -c chanlist -n '__chanlist_at \'\'' -a help -d 'help for a command, or exit-codes, formats, environment'
complete -c chanlist -n '__chanlist_only auth' -a login -d 'check a key and store it'
complete -c chanlist -n '__chanlist_only auth' -a status -d 'the account in use, and whether its key is taken'
complete -c chanlist -n '__chanlist_only auth' -a list -d 'the stored profiles'
complete -c chanlist -n '__chanlist_only auth' -a switch -d 'make another profile the active one'
complete -c chanlist -n '__chanlist_only auth' -a logout -d 'remove a profile from the store'

complete -c chanlist -n '__chanlist_only auth switch' -x -a '(__chanlist_profiles)'
complete -c chanlist -n '__chanlist_only completion' -x -a 'bash zsh fish'
complete -c chanlist -n '__chanlist_only help' -x -a 'resolve search uploads latest playlist credits auth serve completion help exit-codes formats environment'

complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status' 'auth switch' 'auth logout'" -l profile -x -a '(__chanlist_profiles)' -d 'which stored account (CHANLIST_PROFILE)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status'" -l base-url -x -d 'the service\'s address (CHANLIST_BASE_URL)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status'" -l namespace -x -d 'the path word after /api/v2/ (CHANLIST_NAMESPACE; default: media)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status'" -l key-file -r -F -d 'read the key from a file (CHANLIST_API_KEY, CHANLIST_API_KEY_FILE)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist" -l sandbox -d 'a private local service with demo data, for this one call: no account, no network'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth status' 'auth list'" -s f -l format -x -a 'table json ndjson csv id' -d 'table | json | ndjson | csv | id; default: table at a terminal, else ndjson'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist credits 'auth status' 'auth list'" -l json -d 'short for --format json'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth status' 'auth list'" -l ndjson -d 'short for --format ndjson'
complete -c chanlist -n "__chanlist_at ''" -l fields -x -a '(__chanlist_fields channel_id resolved_from videoId title channelId channelTitle channelHandle lengthText viewCountText thumbnails index type channelVerified publishedTimeText hasCaptions author published updated link description thumbnail viewCount starRating @reference)' -d 'these fields, in this order; dots reach inside'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist" -s o -l output -r -F -d 'write there instead of stdout; - is stdout'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist" -l summary -r -F -d 'write what happened there, as JSON'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist credits 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout'" -l no-color -d 'no colour'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status'" -l timeout -x -d 'for one request, to its last byte (default: 30)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status'" -l retries -x -d 'retries per request, at most (default: 4)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist 'auth login' 'auth status'" -l max-wait -x -d 'longest wait in all without a success in between (default: 120)'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist" -l dry-run -d 'print the first request of each reference and its cost; send nothing'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist credits 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout'" -s q -l quiet -d 'errors only'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist credits 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout'" -s v -l verbose -d 'closing line, waits and retries also off the terminal; -vv: each request too'
complete -c chanlist -n "__chanlist_at ''" -s V -l version -d 'print the version'
complete -c chanlist -n "__chanlist_at '' resolve search uploads latest playlist credits auth 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout' serve completion help" -s h -l help -d 'print help'
complete -c chanlist -n "__chanlist_at resolve uploads latest playlist" -l from -r -F -d 'a file with one reference a line; - is stdin'
complete -c chanlist -n "__chanlist_at resolve latest" -l concurrency -x -d 'requests side by side (default: 4)'
complete -c chanlist -n "__chanlist_at resolve" -l fields -x -a '(__chanlist_fields channel_id resolved_from @reference)' -d 'these fields, in this order; dots reach inside'
complete -c chanlist -n "__chanlist_at search" -s n -l limit -x -d 'results at most, 1 to 50 (default: 30)'
complete -c chanlist -n "__chanlist_at search uploads playlist" -l max-credits -x -d 'spend at most n in this call; n/day or n/month: in that time, over all calls'
complete -c chanlist -n "__chanlist_at search latest" -l fields -x -a '(__chanlist_fields videoId title channelId channelTitle channelHandle lengthText viewCountText thumbnails index type channelVerified publishedTimeText hasCaptions author published updated link description thumbnail viewCount starRating @reference)' -d 'these fields, in this order; dots reach inside'
complete -c chanlist -n "__chanlist_at uploads playlist" -s n -l limit -x -d 'at most this many entries per reference'
complete -c chanlist -n "__chanlist_at uploads playlist" -l continuation -x -d 'start at the page with this token instead of a reference'
complete -c chanlist -n "__chanlist_at uploads playlist" -l output-dir -x -a '(__fish_complete_directories)' -d 'a file for each reference in this folder, <ID>.<format>'
complete -c chanlist -n "__chanlist_at uploads playlist" -l concurrency -x -d 'references of --output-dir side by side (default: 4)'
complete -c chanlist -n "__chanlist_at uploads playlist" -l restart -d 'throw an interrupted export away and start over, paying for all of it again'
complete -c chanlist -n "__chanlist_at uploads" -l update -d 'bring a complete file up to date: pay for what is new only (needs videoId; no --limit)'
complete -c chanlist -n "__chanlist_at uploads playlist" -l fields -x -a '(__chanlist_fields videoId title channelId channelTitle channelHandle lengthText viewCountText thumbnails index @reference)' -d 'these fields, in this order; dots reach inside'
complete -c chanlist -n "__chanlist_at credits" -l month -x -d 'report this month (default: this one)'
complete -c chanlist -n "__chanlist_at credits" -l by -x -d 'also report per day | command | reference'
complete -c chanlist -n "__chanlist_at serve" -l port -x -d 'port to listen on; 0: any free one'
complete -c chanlist -n "__chanlist_at serve" -l host -x -d 'address to listen on'
complete -c chanlist -n "__chanlist_at serve" -l key -x -d 'the one key that is accepted'
complete -c chanlist -n "__chanlist_at serve" -l credits -x -d 'credits on the account'
complete -c chanlist -n "__chanlist_at serve" -l page-size -x -d 'entries on a page'
complete -c chanlist -n "__chanlist_at serve" -l latency -x -d 'milliseconds that every answer takes'
complete -c chanlist -n "__chanlist_at serve" -l seed -x -d 'seed of the faults'
complete -c chanlist -n "__chanlist_at serve" -l fail -x -d 'make a share of the requests fail (repeatable), e.g. 429:0.1'
