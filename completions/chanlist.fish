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
        contains -- (string split -m 1 \t -- $field)[1] $named; or echo "$before$field"
    end
end

# Prints the stored profiles, each with its address.
function __chanlist_profiles
    chanlist auth list -f csv 2>/dev/null | tail -n +2 | cut -d , -f 2,3 | grep '^[[:alnum:]._@-]*,' | tr , '\t'
end

complete -c chanlist -f

complete -c chanlist -n '__chanlist_at \'\'' -a resolve -d 'find the canonical ID of a channel (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a search -d 'search one channel (1 credit)'
complete -c chanlist -n '__chanlist_at \'\'' -a uploads -d 'list all uploads (1 credit per page of about 100)'
complete -c chanlist -n '__chanlist_at \'\'' -a latest -d 'list the latest 15 uploads (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a playlist -d 'list a public playlist (1 credit per page)'
complete -c chanlist -n '__chanlist_at \'\'' -a show -d 'print ndjson files in any format (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a check -d 'find incomplete and stale archives (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a credits -d 'print what was spent on this machine (free)'
complete -c chanlist -n '__chanlist_at \'\'' -a auth -d 'manage stored accounts'
complete -c chanlist -n '__chanlist_at \'\'' -a serve -d 'run the service itself locally: the sandbox'
complete -c chanlist -n '__chanlist_at \'\'' -a completion -d 'print the completions for bash, zsh or fish'
complete -c chanlist -n '__chanlist_at \'\'' -a help -d 'print help on a command or a topic'
complete -c chanlist -n '__chanlist_at \'show\'' -r -F
complete -c chanlist -n '__chanlist_at \'check\'' -r -F
complete -c chanlist -n '__chanlist_at \'auth\'' -a login -d 'verify a key and store it'
complete -c chanlist -n '__chanlist_at \'auth\'' -a status -d 'show the account in use and verify its key'
complete -c chanlist -n '__chanlist_at \'auth\'' -a list -d 'list the stored profiles'
complete -c chanlist -n '__chanlist_at \'auth\'' -a switch -d 'make another profile the active one'
complete -c chanlist -n '__chanlist_at \'auth\'' -a logout -d 'remove a profile from the store'
complete -c chanlist -n '__chanlist_at \'auth switch\'' -x -a '(__chanlist_profiles)'
complete -c chanlist -n '__chanlist_at \'auth logout\'' -x -a '(__chanlist_profiles)'
complete -c chanlist -n '__chanlist_at \'completion\'' -x -a 'bash\\t\'the script for bash\' zsh\\t\'the script for zsh\' fish\\t\'the script for fish\''
complete -c chanlist -n '__chanlist_at \'help\'' -x -a 'resolve\\t\'find the canonical ID of a channel (free)\' search\\t\'search one channel (1 credit)\' uploads\\t\'list all uploads (1 credit per page of about 100)\' latest\\t\'list the latest 15 uploads (free)\' playlist\\t\'list a public playlist (1 credit per page)\' show\\t\'print ndjson files in any format (free)\' check\\t\'find incomplete and stale archives (free)\' credits\\t\'print what was spent on this machine (free)\' auth\\t\'manage stored accounts\' serve\\t\'run the service itself locally: the sandbox\' completion\\t\'print the completions for bash, zsh or fish\' help\\t\'print help on a command or a topic\' flags\\t\'a topic\' fields\\t\'a topic\' reports\\t\'a topic\' exit-codes\\t\'a topic\' formats\\t\'a topic\' environment\\t\'a topic\''

complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'check' 'credits' 'auth login' 'auth status' 'auth logout'" -l profile -x -a '(__chanlist_profiles)' -d 'use this account'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'check' 'credits' 'auth login' 'auth status'" -l base-url -x -d 'use this address'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'check' 'auth login' 'auth status' 'serve'" -l namespace -x -d 'set the path segment after /api/v2/ (default: media)'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'check' 'auth login' 'auth status'" -l key-file -r -F -d 'read the key from <file>'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist'" -l sandbox -d 'use a private local service with demo data'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show'" -s o -l output -r -F -d 'write to <file>; - is stdout'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show'" -s f -l format -x -a 'table\\t\'for people: fits the terminal, unless --fields asks for more\' json\\t\'one valid document, even after an error\' ndjson\\t\'one entry per line: exactly the fields that the service sent, in its order, numbers digit for digit\' csv\\t\'a header row, then one entry per row (RFC 4180, LF)\' id\\t\'one videoId per line (resolve: channel_id)\'' -d 'print table, json, ndjson, csv or id'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show' 'check' 'credits' 'auth status' 'auth list'" -l json -d 'short for --format json'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show' 'check' 'credits' 'auth status' 'auth list'" -l ndjson -d 'short for --format ndjson'
complete -c chanlist -n "__chanlist_at ''" -l fields -x -a '(__chanlist_fields channel_id\\t\'canonical ID, beginning with UC\' resolved_from\\t\'the reference that was resolved\' type\\t\'video, or something else\' videoId\\t\'ID of the video\' title\\t\'its title\' channelId\\t\'canonical ID of its channel\' channelTitle\\t\'display name of the channel\' channelHandle\\t\'handle of the channel, beginning with @\' channelVerified\\t\'whether the channel is verified\' lengthText\\t\'duration as text: 12:34, 142:27, 1:02:33, LIVE\' viewCountText\\t\'view count, and often age, as text\' publishedTimeText\\t\'age as text: 2 years ago\' hasCaptions\\t\'whether the video has captions\' thumbnails\\t\'list of images: thumbnails.0.url is the address of the first one\' index\\t\'position in the list, a number as text\' members_only\\t\'whether only members can watch it\' author\\t\'display name of the channel\' published\\t\'date of publication (ISO 8601)\' updated\\t\'date of the last change (ISO 8601)\' link\\t\'address of the video\' description\\t\'its description\' thumbnail\\t\'one image: thumbnail.url, thumbnail.width, thumbnail.height\' viewCount\\t\'exact view count, a number as text\' starRating\\t\'rating: starRating.average, starRating.count\' _reference\\t\'the channel or playlist as given\' _seconds\\t\'duration as a number, from lengthText\' _views\\t\'view count as a number, from viewCount, else viewCountText: 434K views is 434000\')' -d 'print these fields; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist'" -l summary -r -F -d 'write a JSON report of the run to <file>'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show' 'check' 'credits' 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout'" -l no-color -d 'print no colour'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'check' 'credits' 'auth login'" -l max-credits -x -d 'spend at most <n>, <n>/day, <n>/month; may repeat'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist'" -l dry-run -d 'print the first request and its cost; send nothing'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'auth login' 'auth status'" -l timeout -x -d 'limit the time of each request (default: 30)'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist'" -l retries -x -d 'retry a request after errors, at most <n> times (default: 4)'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'auth login' 'auth status'" -l max-wait -x -d 'give up after waiting this long (default: 120)'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show' 'check' 'credits' 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout'" -s q -l quiet -d 'print errors only'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show' 'check' 'credits' 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout'" -s v -l verbose -d 'print tally, waits, retries; -vv: every request'
complete -c chanlist -n "__chanlist_at ''" -s V -l version -d 'print the version'
complete -c chanlist -n "__chanlist_at '' 'resolve' 'search' 'uploads' 'latest' 'playlist' 'show' 'check' 'credits' 'auth' 'auth login' 'auth status' 'auth list' 'auth switch' 'auth logout' 'serve' 'completion' 'help'" -s h -l help -d 'print help'
complete -c chanlist -n "__chanlist_at 'resolve' 'uploads' 'latest' 'playlist'" -l from -r -F -d 'read references from <file>; - is stdin'
complete -c chanlist -n "__chanlist_at 'resolve' 'latest'" -l concurrency -x -d 'process <n> references at once (default: 4)'
complete -c chanlist -n "__chanlist_at 'resolve'" -l fields -x -a '(__chanlist_fields channel_id\\t\'canonical ID, beginning with UC\' resolved_from\\t\'the reference that was resolved\' _reference\\t\'the channel or playlist as given\' _seconds\\t\'duration as a number, from lengthText\' _views\\t\'view count as a number, from viewCount, else viewCountText: 434K views is 434000\')' -d 'print these fields; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at 'search'" -s n -l limit -x -d 'request at most <n> results, 1 to 50 (default: 30)'
complete -c chanlist -n "__chanlist_at 'search'" -l fields -x -a '(__chanlist_fields type\\t\'video, or something else\' videoId\\t\'ID of the video\' title\\t\'its title\' channelId\\t\'canonical ID of its channel\' channelTitle\\t\'display name of the channel\' channelHandle\\t\'handle of the channel, beginning with @\' channelVerified\\t\'whether the channel is verified\' lengthText\\t\'duration as text: 12:34, 142:27, 1:02:33, LIVE\' viewCountText\\t\'view count, and often age, as text\' publishedTimeText\\t\'age as text: 2 years ago\' hasCaptions\\t\'whether the video has captions\' thumbnails\\t\'list of images: thumbnails.0.url is the address of the first one\' index\\t\'position in the list, a number as text\' _reference\\t\'the channel or playlist as given\' _seconds\\t\'duration as a number, from lengthText\' _views\\t\'view count as a number, from viewCount, else viewCountText: 434K views is 434000\')' -d 'print these fields; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -s n -l limit -x -d 'list <n> entries per reference'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -l all -d 'list every page; with --update: buy every page'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -l output-dir -x -a '(__fish_complete_directories)' -d 'write one archive per reference: <dir>/<ID>.ndjson'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -l update -d 'add what is new to an archive'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -l restart -d 'export again, and pay for every page again'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -l continuation -x -d 'start at this page, without a reference'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist'" -l concurrency -x -d 'export <n> at once with --output-dir (default: 4)'
complete -c chanlist -n "__chanlist_at 'uploads' 'playlist' 'show'" -l fields -x -a '(__chanlist_fields videoId\\t\'ID of the video\' title\\t\'its title\' channelId\\t\'canonical ID of its channel\' channelTitle\\t\'display name of the channel\' channelHandle\\t\'handle of the channel, beginning with @\' lengthText\\t\'duration as text: 12:34, 142:27, 1:02:33, LIVE\' viewCountText\\t\'view count, and often age, as text\' thumbnails\\t\'list of images: thumbnails.0.url is the address of the first one\' index\\t\'position in the list, a number as text\' publishedTimeText\\t\'age as text: 2 years ago\' members_only\\t\'whether only members can watch it\' _reference\\t\'the channel or playlist as given\' _seconds\\t\'duration as a number, from lengthText\' _views\\t\'view count as a number, from viewCount, else viewCountText: 434K views is 434000\')' -d 'print these fields; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at 'latest'" -s n -l limit -x -d 'print <n> entries per channel'
complete -c chanlist -n "__chanlist_at 'latest'" -l seen -r -F -d 'print only entries not in <file>, then add their IDs'
complete -c chanlist -n "__chanlist_at 'latest'" -l fields -x -a '(__chanlist_fields videoId\\t\'ID of the video\' title\\t\'its title\' channelId\\t\'canonical ID of its channel\' author\\t\'display name of the channel\' published\\t\'date of publication (ISO 8601)\' updated\\t\'date of the last change (ISO 8601)\' link\\t\'address of the video\' description\\t\'its description\' thumbnail\\t\'one image: thumbnail.url, thumbnail.width, thumbnail.height\' viewCount\\t\'exact view count, a number as text\' starRating\\t\'rating: starRating.average, starRating.count\' channelTitle\\t\'display name of the channel\' channelHandle\\t\'handle of the channel, beginning with @\' lengthText\\t\'duration as text: 12:34, 142:27, 1:02:33, LIVE\' viewCountText\\t\'view count, and often age, as text\' thumbnails\\t\'list of images: thumbnails.0.url is the address of the first one\' index\\t\'position in the list, a number as text\' _reference\\t\'the channel or playlist as given\' _seconds\\t\'duration as a number, from lengthText\' _views\\t\'view count as a number, from viewCount, else viewCountText: 434K views is 434000\')' -d 'print these fields; see: chanlist help fields'
complete -c chanlist -n "__chanlist_at 'show'" -s n -l limit -x -d 'print <n> entries per file'
complete -c chanlist -n "__chanlist_at 'check'" -l from -r -F -d 'expect an archive of each reference in <file>'
complete -c chanlist -n "__chanlist_at 'check'" -l max-age -x -d 'report archives last checked longer ago: 36h, 2d'
complete -c chanlist -n "__chanlist_at 'check' 'credits' 'auth status' 'auth list'" -s f -l format -x -a 'table\\t\'for people: fits the terminal, unless --fields asks for more\' json\\t\'one valid document, even after an error\' ndjson\\t\'one entry per line: exactly the fields that the service sent, in its order, numbers digit for digit\' csv\\t\'a header row, then one entry per row (RFC 4180, LF)\'' -d 'print table, json, ndjson or csv'
complete -c chanlist -n "__chanlist_at 'credits'" -l month -x -d 'report another month'
complete -c chanlist -n "__chanlist_at 'credits'" -l by -x -a 'day\\t\'the sums of each day\' command\\t\'the sums of each command\' reference\\t\'the sums of each reference\'' -d 'report by day, command or reference'
complete -c chanlist -n "__chanlist_at 'auth login'" -l no-verify -d 'store the key without verifying it'
complete -c chanlist -n "__chanlist_at 'serve'" -l port -x -d 'listen on this port; 0: any (default: 8787)'
complete -c chanlist -n "__chanlist_at 'serve'" -l host -x -d 'listen on this address (default: 127.0.0.1)'
complete -c chanlist -n "__chanlist_at 'serve'" -l key -x -d 'accept only this key (default: sk_sandbox)'
complete -c chanlist -n "__chanlist_at 'serve'" -l credits -x -d 'start with <n> credits (default: 1000)'
complete -c chanlist -n "__chanlist_at 'serve'" -l page-size -x -d 'send <n> entries per page (default: 100)'
complete -c chanlist -n "__chanlist_at 'serve'" -l latency -x -d 'delay every response by <ms> (default: 0)'
complete -c chanlist -n "__chanlist_at 'serve'" -l seed -x -d 'seed the choice of requests that fail (default: 1)'
complete -c chanlist -n "__chanlist_at 'serve'" -l rate -x -d 'allow <n> requests per minute; 429 beyond'
complete -c chanlist -n "__chanlist_at 'serve'" -l grow -x -d 'add <n> uploads per channel and minute (default: 0)'
complete -c chanlist -n "__chanlist_at 'serve'" -l plain-tokens -d 'issue tokens that need no encoding in a URL'
complete -c chanlist -n "__chanlist_at 'serve'" -l fail -x -a '429:0.1\\t\'too many requests\' 503:0.1\\t\'the service is not available\' reset:0.1\\t\'resets the connection before the response; debits nothing\' truncate:0.1\\t\'ends the connection in the middle of a 200; debits\' garbage:0.1\\t\'sends a complete 200 that is not JSON; debits\' loop:0.1\\t\'sends a page whose token names the same page again\' expire:0.1\\t\'refuses a valid token with 410\' feed-404:0.1\\t\'latest responds with 404\' feed-empty:0.1\\t\'latest has no entries\'' -d 'fail a share of requests; may repeat'
