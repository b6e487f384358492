# bash completion for chanlist
# Generated from the program by: npm run generate. Changes made here are lost.

# Offers the words of $1 that begin with the typed text; $2: the part of the word before it.
_chanlist_offer() {
  COMPREPLY=($(compgen -P "$2" -W "$1" -- "$cur"))
}

# Leaves files (default) or folders (dirnames) to readline if this bash can do that; $2: the same for compgen.
_chanlist_files() {
  local IFS=$'\n'
  compopt -o "$1" 2>/dev/null || COMPREPLY=($(compgen -A "$2" -- "$cur"))
}

# Offers the stored profiles.
_chanlist_profiles() {
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "$(chanlist auth list -f csv 2>/dev/null | tail -n +2 | cut -d , -f 2 | grep -x '[[:alnum:]._@-]*')" -- "$cur"))
}

# Offers the fields that are not in the comma list yet.
_chanlist_fields() {
  local before= field left=
  [[ $cur == *,* ]] && before=${cur%,*},
  cur=${cur##*,}
  for field in $1; do
    [[ ,$before == *",$field,"* ]] || left+=" $field"
  done
  _chanlist_offer "$left" "$before"
  compopt -o nospace 2>/dev/null
  return 0
}

_chanlist() {
  # At white space alone: Bash splits words at = and : too.
  local typed=${COMP_LINE:0:COMP_POINT}
  local -a words
  read -ra words <<<"$typed"
  [[ $typed == *[[:space:]] ]] && words+=('')
  local last=$((${#words[@]} - 1)) command= flag= word i
  for ((i = 1; i < last; i++)); do
    word=${words[i]}
    flag=
    case $word in
      --profile | --base-url | --namespace | --key-file | -o | --output | -f | --format | --fields | --summary | --max-credits | --timeout | --retries | --max-wait | --from | --concurrency | -n | --limit | --output-dir | --continuation | --seen | --max-age | --month | --by | --port | --host | --key | --credits | --page-size | --latency | --seed | --rate | --grow | --fail)
        flag=$word
        i=$((i + 1))
        ;;
      *)
        case "$command $word" in
          ' resolve') command='resolve' ;;
          ' search') command='search' ;;
          ' uploads') command='uploads' ;;
          ' latest') command='latest' ;;
          ' playlist') command='playlist' ;;
          ' show') command='show' ;;
          ' check') command='check' ;;
          ' credits') command='credits' ;;
          ' auth') command='auth' ;;
          'auth login') command='auth login' ;;
          'auth status') command='auth status' ;;
          'auth list') command='auth list' ;;
          'auth switch') command='auth switch' ;;
          'auth logout') command='auth logout' ;;
          ' serve') command='serve' ;;
          ' completion') command='completion' ;;
          ' help') command='help' ;;
        esac
        ;;
    esac
  done
  ((i > last)) || flag=
  COMPREPLY=()
  local cur=${words[last]}
  typed=$cur
  if [[ -z $flag && $cur == --*=* ]]; then
    flag=${cur%%=*}
    cur=${cur#*=}
  fi
  if [[ -n $flag ]]; then
    _chanlist_value
  elif [[ $cur == -* ]]; then
    _chanlist_flags
  else
    _chanlist_argument
  fi
  # Bash replaces only what follows the last place where it splits.
  local piece=${COMP_WORDS[COMP_CWORD]}
  [[ $piece == [=:] ]] && piece=
  local before=${typed%"$piece"}
  before=${before#"$flag="}
  for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
    COMPREPLY[i]=${COMPREPLY[i]#"$before"}
  done
}

# Offers values of $flag.
_chanlist_value() {
  case "$command $flag" in
    *' --profile') _chanlist_profiles ;;
    *' --key-file' | *' -o' | *' --output' | *' --summary' | *' --from' | *' --seen') _chanlist_files default file ;;
    ''' -f' | ''' --format' | 'resolve'' -f' | 'resolve'' --format' | 'search'' -f' | 'search'' --format' | 'uploads'' -f' | 'uploads'' --format' | 'latest'' -f' | 'latest'' --format' | 'playlist'' -f' | 'playlist'' --format' | 'show'' -f' | 'show'' --format') _chanlist_offer 'table json ndjson csv id' ;;
    ''' --fields') _chanlist_fields 'channel_id resolved_from type videoId title channelId channelTitle channelHandle channelVerified lengthText viewCountText publishedTimeText hasCaptions thumbnails index members_only author published updated link description thumbnail viewCount starRating _reference _seconds _views' ;;
    'resolve'' --fields') _chanlist_fields 'channel_id resolved_from _reference _seconds _views' ;;
    'search'' --fields') _chanlist_fields 'type videoId title channelId channelTitle channelHandle channelVerified lengthText viewCountText publishedTimeText hasCaptions thumbnails index _reference _seconds _views' ;;
    *' --output-dir') _chanlist_files dirnames directory ;;
    'uploads'' --fields' | 'playlist'' --fields' | 'show'' --fields') _chanlist_fields 'videoId title channelId channelTitle channelHandle lengthText viewCountText thumbnails index publishedTimeText members_only _reference _seconds _views' ;;
    'latest'' --fields') _chanlist_fields 'videoId title channelId author published updated link description thumbnail viewCount starRating channelTitle channelHandle lengthText viewCountText thumbnails index _reference _seconds _views' ;;
    'check'' -f' | 'check'' --format' | 'credits'' -f' | 'credits'' --format' | 'auth status'' -f' | 'auth status'' --format' | 'auth list'' -f' | 'auth list'' --format') _chanlist_offer 'table json ndjson csv' ;;
    'credits'' --by') _chanlist_offer 'day command reference' ;;
    'serve'' --fail') _chanlist_offer '429:0.1 503:0.1 reset:0.1 truncate:0.1 garbage:0.1 loop:0.1 expire:0.1 feed-404:0.1 feed-empty:0.1' ;;
  esac
}

# Offers the flags of $command.
_chanlist_flags() {
  case $command in
    '') _chanlist_offer '--profile --base-url --namespace --key-file --sandbox -o --output -f --format --json --ndjson --fields --summary --no-color --max-credits --dry-run --timeout --retries --max-wait -q --quiet -v --verbose -V --version -h --help' ;;
    'resolve') _chanlist_offer '--from --concurrency --profile --base-url --namespace --key-file --sandbox -o --output -f --format --json --ndjson --fields --summary --no-color --max-credits --dry-run --timeout --retries --max-wait -q --quiet -v --verbose -h --help' ;;
    'search') _chanlist_offer '-n --limit --profile --base-url --namespace --key-file --sandbox -o --output -f --format --json --ndjson --fields --summary --no-color --max-credits --dry-run --timeout --retries --max-wait -q --quiet -v --verbose -h --help' ;;
    'uploads') _chanlist_offer '--from -n --limit --all --output-dir --update --restart --continuation --concurrency --profile --base-url --namespace --key-file --sandbox -o --output -f --format --json --ndjson --fields --summary --no-color --max-credits --dry-run --timeout --retries --max-wait -q --quiet -v --verbose -h --help' ;;
    'latest') _chanlist_offer '--from --concurrency -n --limit --seen --profile --base-url --namespace --key-file --sandbox -o --output -f --format --json --ndjson --fields --summary --no-color --max-credits --dry-run --timeout --retries --max-wait -q --quiet -v --verbose -h --help' ;;
    'playlist') _chanlist_offer '--from -n --limit --all --output-dir --update --restart --continuation --concurrency --profile --base-url --namespace --key-file --sandbox -o --output -f --format --json --ndjson --fields --summary --no-color --max-credits --dry-run --timeout --retries --max-wait -q --quiet -v --verbose -h --help' ;;
    'show') _chanlist_offer '-n --limit -o --output -f --format --json --ndjson --fields --no-color -q --quiet -v --verbose -h --help' ;;
    'check') _chanlist_offer '--from --max-age -f --format --profile --base-url --namespace --key-file --json --ndjson --no-color --max-credits -q --quiet -v --verbose -h --help' ;;
    'credits') _chanlist_offer '--month --by -f --format --profile --base-url --json --ndjson --no-color --max-credits -q --quiet -v --verbose -h --help' ;;
    'auth') _chanlist_offer '-h --help' ;;
    'auth login') _chanlist_offer '--no-verify --profile --base-url --namespace --key-file --no-color --max-credits --timeout --max-wait -q --quiet -v --verbose -h --help' ;;
    'auth status') _chanlist_offer '-f --format --profile --base-url --namespace --key-file --json --ndjson --no-color --timeout --max-wait -q --quiet -v --verbose -h --help' ;;
    'auth list') _chanlist_offer '-f --format --json --ndjson --no-color -q --quiet -v --verbose -h --help' ;;
    'auth switch') _chanlist_offer '--no-color -q --quiet -v --verbose -h --help' ;;
    'auth logout') _chanlist_offer '--profile --no-color -q --quiet -v --verbose -h --help' ;;
    'serve') _chanlist_offer '--port --host --key --credits --page-size --latency --seed --rate --grow --plain-tokens --fail --namespace -h --help' ;;
    'completion') _chanlist_offer '-h --help' ;;
    'help') _chanlist_offer '-h --help' ;;
  esac
}

# Offers arguments of $command.
_chanlist_argument() {
  case $command in
    '') _chanlist_offer 'resolve search uploads latest playlist show check credits auth serve completion help' ;;
    'resolve') : ;;
    'search') : ;;
    'uploads') : ;;
    'latest') : ;;
    'playlist') : ;;
    'show') _chanlist_files default file ;;
    'check') _chanlist_files default file ;;
    'credits') : ;;
    'auth') _chanlist_offer 'login status list switch logout' ;;
    'auth login') : ;;
    'auth status') : ;;
    'auth list') : ;;
    'auth switch') _chanlist_profiles ;;
    'auth logout') _chanlist_profiles ;;
    'serve') : ;;
    'completion') _chanlist_offer 'bash zsh fish' ;;
    'help') _chanlist_offer 'resolve search uploads latest playlist show check credits auth serve completion help flags fields reports exit-codes formats environment' ;;
  esac
}

complete -F _chanlist chanlist
