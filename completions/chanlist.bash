# bash completion for chanlist
# Generated from the program by: npm run generate. Changes made here are lost.

# Prints the names of the stored profiles, one per line.
_chanlist_profiles() {
  local store
  case $OSTYPE in
    darwin*) store=$HOME/Library/Preferences/chanlist/config.json ;;
    *) store=${XDG_CONFIG_HOME:-$HOME/.config}/chanlist/config.json ;;
  esac
  [[ -r $store ]] || return 0
  tr -d '\r\n' <"$store" | grep -o '"[^"\\]*"[[:space:]]*:[[:space:]]*{' |
    sed -e 1d -e 's/^"//' -e 's/"[[:space:]]*:[[:space:]]*{$//'
}

# Offers the lines of $1 that begin with the typed text; $2: the part of the word before it.
_chanlist_offer() {
  local line
  while IFS= read -r line; do
    [[ -n $line && $line == "$cur"* ]] && COMPREPLY+=("$2$(printf %q "$line")")
  done <<<"$1"
}

# Leaves files (with "-d": folders) to readline if this bash can do that.
_chanlist_files() {
  if [[ -n $1 ]]; then
    compopt -o dirnames 2>/dev/null && return
  else
    compopt -o default 2>/dev/null && return
  fi
  local line
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(compgen ${1:--f} -- "$cur")
}

# Offers the fields that are not in the comma list yet.
_chanlist_fields() {
  local before= field left=
  [[ $cur == *,* ]] && before=${cur%,*},
  cur=${cur##*,}
  for field in $1; do
    [[ ,$before == *",$field,"* ]] || left+=$field$'\n'
  done
  _chanlist_offer "$left" "$before"
  compopt -o nospace 2>/dev/null
  return 0
}

_chanlist() {
  # Bash splits words at = : and @ too: join the pieces that have no space before them.
  local line=$COMP_LINE word i
  local -a words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i > 0)) && [[ -n $line && $line != [[:space:]]* ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
      line=${line#"${line%%[![:space:]]*}"}
    fi
    line=${line#"$word"}
  done
  local last=$((${#words[@]} - 1))
  local cur=${words[last]} command= argument= flag= ended= typed

  for ((i = 1; i < last; i++)); do
    word=${words[i]}
    flag=
    case $word in
      --)
        ended=1
        break
        ;;
      --profile | --base-url | --namespace | --key-file | -f | --format | --fields | -o | --output | --summary | --max-credits | --timeout | --retries | --max-wait | --from | --concurrency | -n | --limit | --output-dir | --continuation | --seen | --max-age | --month | --by | --port | --host | --key | --credits | --page-size | --latency | --seed | --rate | --grow | --fail)
        flag=$word
        i=$((i + 1))
        ;;
      -*) ;;
      *) _chanlist_enter "$word" ;;
    esac
  done
  ((i > last)) || flag=
  COMPREPLY=()
  [[ -n $ended ]] && return
  typed=$cur
  if [[ -z $flag && $cur == --*=* ]]; then
    flag=${cur%%=*}
    cur=${cur#*=}
  fi
  if [[ -n $flag ]]; then
    _chanlist_value
  elif [[ $cur == -* ]]; then
    _chanlist_flags
  elif [[ -z $argument ]]; then
    _chanlist_argument
  fi
  # Bash replaces only the text after the last place where it splits, and an @ there.
  local piece=${COMP_WORDS[COMP_CWORD]}
  [[ $piece == = ]] && piece=
  local before=${typed%"$piece"}
  before=${before#"$flag="}
  before=${before%@}
  for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
    COMPREPLY[i]=${COMPREPLY[i]#"$before"}
  done
}

# Enters a word that is not a flag: a command, an action or an argument.
_chanlist_enter() {
  case "$command $1" in
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
    *) argument=$1 ;;
  esac
}

# Offers values of $flag.
_chanlist_value() {
  case $flag in
    --profile) _chanlist_offer "$(_chanlist_profiles)" ;;
    --key-file) _chanlist_files ;;
    -f | --format)
      case $command in
        '' | 'resolve' | 'search' | 'uploads' | 'latest' | 'playlist' | 'show') _chanlist_offer $'table\njson\nndjson\ncsv\nid' ;;
        'check' | 'credits' | 'auth status' | 'auth list') _chanlist_offer $'table\njson\nndjson\ncsv' ;;
      esac
      ;;
    --fields)
      case $command in
        '') _chanlist_fields 'channel_id resolved_from type videoId title channelId channelTitle channelHandle channelVerified lengthText viewCountText publishedTimeText hasCaptions thumbnails index members_only author published updated link description thumbnail viewCount starRating @reference @seconds @views @published' ;;
        'resolve') _chanlist_fields 'channel_id resolved_from @reference @seconds @views @published' ;;
        'search') _chanlist_fields 'type videoId title channelId channelTitle channelHandle channelVerified lengthText viewCountText publishedTimeText hasCaptions thumbnails index @reference @seconds @views @published' ;;
        'uploads' | 'playlist' | 'show') _chanlist_fields 'videoId title channelId channelTitle channelHandle lengthText viewCountText thumbnails index publishedTimeText members_only @reference @seconds @views @published' ;;
        'latest') _chanlist_fields 'videoId title channelId author published updated link description thumbnail viewCount starRating channelTitle channelHandle lengthText viewCountText thumbnails index @reference @seconds @views @published' ;;
      esac
      ;;
    -o | --output) _chanlist_files ;;
    --summary) _chanlist_files ;;
    --from) _chanlist_files ;;
    --output-dir) _chanlist_files -d ;;
    --seen) _chanlist_files ;;
    --by) _chanlist_offer $'day\ncommand\nreference' ;;
  esac
}

# Offers the flags of $command.
_chanlist_flags() {
  case $command in
    '') _chanlist_offer $'--profile\n--base-url\n--namespace\n--key-file\n--sandbox\n-f\n--format\n--json\n--ndjson\n--fields\n-o\n--output\n--summary\n--no-color\n--max-credits\n--dry-run\n--timeout\n--retries\n--max-wait\n-q\n--quiet\n-v\n--verbose\n-V\n--version\n-h\n--help' ;;
    'resolve') _chanlist_offer $'--from\n--concurrency\n--profile\n--base-url\n--namespace\n--key-file\n--sandbox\n-f\n--format\n--json\n--ndjson\n--fields\n-o\n--output\n--summary\n--no-color\n--max-credits\n--dry-run\n--timeout\n--retries\n--max-wait\n-q\n--quiet\n-v\n--verbose\n-h\n--help' ;;
    'search') _chanlist_offer $'-n\n--limit\n--profile\n--base-url\n--namespace\n--key-file\n--sandbox\n-f\n--format\n--json\n--ndjson\n--fields\n-o\n--output\n--summary\n--no-color\n--max-credits\n--dry-run\n--timeout\n--retries\n--max-wait\n-q\n--quiet\n-v\n--verbose\n-h\n--help' ;;
    'uploads') _chanlist_offer $'--from\n-n\n--limit\n--all\n--output-dir\n--update\n--print-new\n--restart\n--continuation\n--concurrency\n--profile\n--base-url\n--namespace\n--key-file\n--sandbox\n-f\n--format\n--json\n--ndjson\n--fields\n-o\n--output\n--summary\n--no-color\n--max-credits\n--dry-run\n--timeout\n--retries\n--max-wait\n-q\n--quiet\n-v\n--verbose\n-h\n--help' ;;
    'latest') _chanlist_offer $'--from\n--concurrency\n-n\n--limit\n--seen\n--profile\n--base-url\n--namespace\n--key-file\n--sandbox\n-f\n--format\n--json\n--ndjson\n--fields\n-o\n--output\n--summary\n--no-color\n--max-credits\n--dry-run\n--timeout\n--retries\n--max-wait\n-q\n--quiet\n-v\n--verbose\n-h\n--help' ;;
    'playlist') _chanlist_offer $'--from\n-n\n--limit\n--all\n--output-dir\n--restart\n--continuation\n--concurrency\n--profile\n--base-url\n--namespace\n--key-file\n--sandbox\n-f\n--format\n--json\n--ndjson\n--fields\n-o\n--output\n--summary\n--no-color\n--max-credits\n--dry-run\n--timeout\n--retries\n--max-wait\n-q\n--quiet\n-v\n--verbose\n-h\n--help' ;;
    'show') _chanlist_offer $'-n\n--limit\n-f\n--format\n--json\n--ndjson\n--fields\n-o\n--output\n--no-color\n-q\n--quiet\n-v\n--verbose\n-h\n--help' ;;
    'check') _chanlist_offer $'--from\n--max-age\n-f\n--format\n--json\n--ndjson\n--no-color\n-q\n--quiet\n-v\n--verbose\n-h\n--help' ;;
    'credits') _chanlist_offer $'--month\n--by\n-f\n--format\n--json\n--ndjson\n--no-color\n-q\n--quiet\n-v\n--verbose\n-h\n--help' ;;
    'auth') _chanlist_offer $'-h\n--help' ;;
    'auth login') _chanlist_offer $'--no-verify\n--profile\n--base-url\n--namespace\n--key-file\n--no-color\n--max-credits\n--timeout\n--retries\n--max-wait\n-q\n--quiet\n-v\n--verbose\n-h\n--help' ;;
    'auth status') _chanlist_offer $'--profile\n--base-url\n--namespace\n--key-file\n-f\n--format\n--json\n--ndjson\n--no-color\n--timeout\n--retries\n--max-wait\n-q\n--quiet\n-v\n--verbose\n-h\n--help' ;;
    'auth list') _chanlist_offer $'-f\n--format\n--json\n--ndjson\n--no-color\n-q\n--quiet\n-v\n--verbose\n-h\n--help' ;;
    'auth switch') _chanlist_offer $'--no-color\n-q\n--quiet\n-v\n--verbose\n-h\n--help' ;;
    'auth logout') _chanlist_offer $'--no-color\n-q\n--quiet\n-v\n--verbose\n-h\n--help' ;;
    'serve') _chanlist_offer $'--port\n--host\n--key\n--credits\n--page-size\n--latency\n--seed\n--rate\n--grow\n--plain-tokens\n--fail\n--namespace\n-h\n--help' ;;
    'completion') _chanlist_offer $'-h\n--help' ;;
    'help') _chanlist_offer $'-h\n--help' ;;
  esac
}

# Offers arguments of $command.
_chanlist_argument() {
  case $command in
    '') _chanlist_offer $'resolve\nsearch\nuploads\nlatest\nplaylist\nshow\ncheck\ncredits\nauth\nserve\ncompletion\nhelp' ;;
    'show') _chanlist_files ;;
    'check') _chanlist_files ;;
    'auth') _chanlist_offer $'login\nstatus\nlist\nswitch\nlogout' ;;
    'auth switch') _chanlist_offer "$(_chanlist_profiles)" ;;
    'auth logout') _chanlist_offer "$(_chanlist_profiles)" ;;
    'completion') _chanlist_offer $'bash\nzsh\nfish' ;;
    'help') _chanlist_offer $'resolve\nsearch\nuploads\nlatest\nplaylist\nshow\ncheck\ncredits\nauth\nserve\ncompletion\nhelp\nflags\nfields\nexit-codes\nformats\nenvironment' ;;
  esac
}

complete -F _chanlist chanlist
