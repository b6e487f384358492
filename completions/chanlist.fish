# fish completion for chanlist
# Generated from the program by: npm run generate. Changes made here are lost.

# Succeeds if the command on the line ('' for none yet) is one of these.
function __chanlist_at
    set -l words (commandline -opc)
    set -l path
    set -e words[1]
    while set -q words[1]
        set -l word $words[1]
        set -e words[1]
        switch $word
            case --profile --base-url --namespace --key-file -o --output -f --format --fields --summary --max-credits --timeout --retries --max-wait --from --concurrency -n --limit --output-dir --continuation --seen --max-age --month --by --port --host --key --credits --page-size --latency --seed --rate --grow --fail
                set -e words[1]
            case '*'
                set -l next (string trim "$path $word")
                contains -- $next 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show' 'check' 'credits' 'auth' 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout' 'serve' 'completion' 'help'; and set path $next
        end
    end
    contains -- "$path" $argv
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

complete -c chanlist -n '__chanlist_at \'\'' -a resolve -d 'find the canonical ID of a channel (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a search -d 'search one channel (1 credit)'
complete -c chanlist -n '__chanlist_at \'\'' -a uploads -d 'list all uploads (1 credit per page of about 100)'
complete -c chanlist -n '__chanlist_at \'\'' -a latest -d 'list the latest 15 uploads (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a playlist -d 'list a public playlist (1 credit per page)'
complete -c chanlist -n '__chanlist_at \'\'' -a show -d 'print ndjson files in any format (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a check -d 'find incomplete and outdated archives (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a credits -d 'print what was spent on this machine (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a auth -d 'manage stored accounts'
complete -c chanlist -n '__chanlist_at \'\'' -a serve -d 'run the service itself locally: the sandbox'
complete -c chanlist -n '__chanlist_at \'\'' -a completion -d 'print the completion script for bash, zsh or fish'
complete -c chanlist -n '__chanlist_at \'\'' -a help -d 'print help on a command or a topic'
complete -c chanlist -n '__chanlist_at \'show\'' -r -F
complete -c chanlist -n '__chanlist_at \'check\'' -r -F
complete -c chanlist -n '__chanlist_at \'auth\'' -a login -d 'verify a key and store it'
complete -c chanlist -n '__chanlist_at \'auth\'' -a status -d 'show the account in use and verify its key'
complete -c chanlist -n '__chanlist_at \'auth\'' -a list -d 'list the stored profiles'
complete -c chanlist -n '__chanlist_at \'auth\'' -a switch -d 'make another profile the active one'
complete -c chanlist -n '__chanlist_at \'auth\'' -a logout -d 'remove a profile from the store'
complete -c chanlist -n '__chanlist_at \'completion\'' -x -a 'bash zsh fish'
complete -c chanlist -n '__chanlist_at \'help\'' -x -a 'resolve search uploads latest playlist show check credits auth serve completion help flags fields reports exit-codes formats environment'

complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'credits' 'auth login' 'auth status'" -l profile -x -d 'use this account'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'credits' 'auth login' 'auth status'" -l base-url -x -d 'use this address'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'auth login' 'auth status' 'serve'" -l namespace -x -d 'set the path segment after /api/v2/ (default: media)'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'auth login' 'auth status'" -l key-file -r -F -d 'read the key from <file>'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist'" -l sandbox -d 'use a private local service with demo data'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show'" -s o -l output -r -F -d 'write to <file>; - is stdout'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show'" -s f -l format -x -a 'table json ndjson csv id' -d 'print table, json, ndjson or csv (lists: id too)'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show' 'check' 'credits' 'auth status' 'auth list'" -l json -d 'short for --format json'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show' 'check' 'credits' 'auth status' 'auth list'" -l ndjson -d 'short for --format ndjson'
complete -c chanlist -n "__chanlist_at ''" -l fields -x -a '(__chanlist_fields channel_id resolved_from type videoId title channelId channelTitle channelHandle channelVerified lengthText viewCountText publishedTimeText hasCaptions thumbnails index members_only author published updated link description thumbnail viewCount starRating _reference _seconds _views)' -d 'print these fields; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist'" -l summary -r -F -d 'write a JSON report of the run to <file>'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show' 'check' 'credits' 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout'" -l no-color -d 'print no colour'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'credits' 'auth login'" -l max-credits -x -d 'spend at most <n> credits, <n>/day or <n>/month'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist'" -l dry-run -d 'print the first request and its cost; send nothing'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'auth login' 'auth status'" -l timeout -x -d 'limit the time of each request (default: 30)'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'auth login' 'auth status'" -l retries -x -d 'retry each request at most <n> times (default: 4)'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'auth login' 'auth status'" -l max-wait -x -d 'give up after waiting this long (default: 120)'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show' 'check' 'credits' 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout'" -s q -l quiet -d 'print errors only'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show' 'check' 'credits' 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout'" -s v -l verbose -d 'print tally, waits and retries; -vv: every request'
complete -c chanlist -n "__chanlist_at ''" -s V -l version -d 'print the version'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show' 'check' 'credits' 'auth' 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout' 'serve' 'completion' 'help'" -s h -l help -d 'print help'
complete -c chanlist -n "__chanlist_at 'resolve' 'uploads' 'latest' 'playlist'" -l from -r -F -d 'read references from <file>; - is stdin'
complete -c chanlist -n "__chanlist_at 'resolve' 'latest'" -l concurrency -x -d 'process <n> references at once (default: 4)'
complete -c chanlist -n "__chanlist_at 'resolve'" -l fields -x -a '(__chanlist_fields channel_id resolved_from _reference _seconds _views)' -d 'print these fields; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at 'search'" -s n -l limit -x -d 'request at most <n> results, 1 to 50 (default: 30)'
complete -c chanlist -n "__chanlist_at 'search'" -l fields -x -a '(__chanlist_fields type videoId title channelId channelTitle channelHandle channelVerified lengthText viewCountText publishedTimeText hasCaptions thumbnails index _reference _seconds _views)' -d 'print these fields; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -s n -l limit -x -d 'list <n> entries per reference'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -l all -d 'list every page; with --update: buy every page'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -l output-dir -x -a '(__fish_complete_directories)' -d 'write one archive per reference: <dir>/<ID>.ndjson'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -l update -d 'add what is new to an archive; of uploads free if none is'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -l restart -d 'export again, and pay for every page again'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -l continuation -x -d 'start at this page, without a reference'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -l concurrency -x -d 'export <n> at once with --output-dir (default: 4)'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist' 'show'" -l fields -x -a '(__chanlist_fields videoId title channelId channelTitle channelHandle lengthText viewCountText thumbnails index publishedTimeText members_only _reference _seconds _views)' -d 'print these fields; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at 'latest' 'show'" -s n -l limit -x -d 'print at most <n> entries per channel or file'
complete -c chanlist -n "__chanlist_at 'latest'" -l seen -r -F -d 'print only entries not in <file>, then add their IDs'
complete -c chanlist -n "__chanlist_at 'latest'" -l fields -x -a '(__chanlist_fields videoId title channelId author published updated link description thumbnail viewCount starRating channelTitle channelHandle lengthText viewCountText thumbnails index _reference _seconds _views)' -d 'print these fields; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at 'check'" -l from -r -F -d 'expect an archive of each reference in <file>'
complete -c chanlist -n "__chanlist_at 'check'" -l max-age -x -d 'report archives last checked longer ago: 36h, 2d'
complete -c chanlist -n "__chanlist_at 'check' 'credits' 'auth status' 'auth list'" -s f -l format -x -a 'table json ndjson csv' -d 'print table, json, ndjson or csv (lists: id too)'
complete -c chanlist -n "__chanlist_at 'credits'" -l month -x -d 'report another month'
complete -c chanlist -n "__chanlist_at 'credits'" -l by -x -a 'day command reference' -d 'report by day, command or reference'
complete -c chanlist -n "__chanlist_at 'auth login'" -l no-verify -d 'store the key without verifying it'
complete -c chanlist -n "__chanlist_at 'serve'" -l port -x -d 'listen on this port; 0: any free port (default: 8787)'
complete -c chanlist -n "__chanlist_at 'serve'" -l host -x -d 'listen on this address (default: 127.0.0.1)'
complete -c chanlist -n "__chanlist_at 'serve'" -l key -x -d 'accept only this key (default: sk_sandbox)'
complete -c chanlist -n "__chanlist_at 'serve'" -l credits -x -d 'start with <n> credits (default: 1000)'
complete -c chanlist -n "__chanlist_at 'serve'" -l page-size -x -d 'send <n> entries per page (default: 100)'
complete -c chanlist -n "__chanlist_at 'serve'" -l latency -x -d 'delay every response by <ms> (default: 0)'
complete -c chanlist -n "__chanlist_at 'serve'" -l seed -x -d 'seed the choice of requests that fail (default: 1)'
complete -c chanlist -n "__chanlist_at 'serve'" -l rate -x -d 'allow <n> requests per minute; 429 beyond'
complete -c chanlist -n "__chanlist_at 'serve'" -l grow -x -d 'add <n> uploads per channel and minute (default: 0)'
complete -c chanlist -n "__chanlist_at 'serve'" -l plain-tokens -d 'issue tokens that need no encoding in a URL'
complete -c chanlist -n "__chanlist_at 'serve'" -l fail -x -a '429:0.1 503:0.1 reset:0.1 truncate:0.1 garbage:0.1 loop:0.1 expire:0.1 feed-404:0.1 feed-empty:0.1' -d 'make a share of the requests fail; may repeat'
