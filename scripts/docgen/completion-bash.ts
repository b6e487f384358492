import { generatedNotice, profileNames } from './profiles-shell.ts';
import type { Completion, Flag, Node } from './tree.ts';

/** The completion script for bash, from 3.2 on. */
export function bashCompletion(root: Node): string {
  const nodes = allNodes(root);
  const flags = nodes.flatMap((node) => node.flags);
  const withValue = new Set(flags.filter(({ value }) => value !== null).flatMap(names));
  return `# bash completion for chanlist
${generatedNotice.join('\n')}

# Prints the names of the stored profiles, one per line.
_chanlist_profiles() {
  local store
  case $OSTYPE in
    darwin*) store=$HOME/Library/Preferences/chanlist/config.json ;;
    *) store=\${XDG_CONFIG_HOME:-$HOME/.config}/chanlist/config.json ;;
  esac
  [[ -r $store ]] || return 0
  ${profileNames[0]} <"$store" | ${profileNames.slice(1).join(' |\n    ')}
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
  done < <(compgen \${1:--f} -- "$cur")
}

# Offers the fields that are not in the comma list yet.
_chanlist_fields() {
  local before= field left=
  [[ $cur == *,* ]] && before=\${cur%,*},
  cur=\${cur##*,}
  for field in $1; do
    [[ ,$before == *",$field,"* ]] || left+=$field$'\\n'
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
    word=\${COMP_WORDS[i]}
    if ((i > 0)) && [[ -n $line && $line != [[:space:]]* ]]; then
      words[\${#words[@]} - 1]+=$word
    else
      words+=("$word")
      line=\${line#"\${line%%[![:space:]]*}"}
    fi
    line=\${line#"$word"}
  done
  local last=$((\${#words[@]} - 1))
  local cur=\${words[last]} command= argument= flag= ended= typed

  for ((i = 1; i < last; i++)); do
    word=\${words[i]}
    flag=
    case $word in
      --)
        ended=1
        break
        ;;
      ${[...withValue].join(' | ')})
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
    flag=\${cur%%=*}
    cur=\${cur#*=}
  fi
  if [[ -n $flag ]]; then
    _chanlist_value
  elif [[ $cur == -* ]]; then
    _chanlist_flags
  elif [[ -z $argument ]]; then
    _chanlist_argument
  fi
  # Bash replaces only the text after the last place where it splits, and an @ there.
  local piece=\${COMP_WORDS[COMP_CWORD]}
  [[ $piece == = ]] && piece=
  local before=\${typed%"$piece"}
  before=\${before#"$flag="}
  before=\${before%@}
  for ((i = 0; i < \${#COMPREPLY[@]}; i++)); do
    COMPREPLY[i]=\${COMPREPLY[i]#"$before"}
  done
}

# Enters a word that is not a flag: a command, an action or an argument.
_chanlist_enter() {
  case "$command $1" in
${nodes
  .filter(({ path }) => path !== '')
  .map(({ path }) => `    '${path.includes(' ') ? path : ` ${path}`}') command='${path}' ;;`)
  .join('\n')}
    *) argument=$1 ;;
  esac
}

# Offers values of $flag.
_chanlist_value() {
  case $flag in
${valueCases(nodes)}
  esac
}

# Offers the flags of $command.
_chanlist_flags() {
  case $command in
${nodes.map((node) => `    '${node.path}') _chanlist_offer $'${node.flags.flatMap(names).join('\\n')}' ;;`).join('\n')}
  esac
}

# Offers arguments of $command.
_chanlist_argument() {
  case $command in
${nodes
  .flatMap((node) => {
    const offer = argument(node);
    return offer === null ? [] : [`    '${node.path}') ${offer} ;;`];
  })
  .join('\n')}
  esac
}

complete -F _chanlist chanlist
`;
}

/** A command and all below it. */
export function allNodes(root: Node): Node[] {
  return [root, ...root.children.flatMap(allNodes)];
}

/** Short and long name. */
export function names({ short, long }: Flag): string[] {
  return short === null ? [long] : [short, long];
}

function argument(node: Node): string | null {
  if (node.children.length > 0)
    return offer({ kind: 'words', words: node.children.map((child) => child.name) });
  return node.argument === null ? null : offer(node.argument.completion);
}

function offer(completion: Completion): string | null {
  switch (completion.kind) {
    case 'words':
      return `_chanlist_offer $'${completion.words.join('\\n')}'`;
    case 'list':
      return `_chanlist_fields '${completion.words.join(' ')}'`;
    case 'profile':
      return '_chanlist_offer "$(_chanlist_profiles)"';
    case 'file':
      return '_chanlist_files';
    case 'folder':
      return '_chanlist_files -d';
    case 'nothing':
      return null;
  }
}

/** Cases of flags with the same values; where commands differ, cases of these within. */
function valueCases(nodes: readonly Node[]): string {
  const byFlag = new Map<string, Map<string, string[]>>();
  for (const node of nodes) {
    for (const flag of node.flags) {
      const values = offer(flag.completion);
      if (values === null) continue;
      const key = names(flag).join(' | ');
      const offers = byFlag.get(key) ?? new Map<string, string[]>();
      byFlag.set(key, offers.set(values, [...(offers.get(values) ?? []), node.path]));
    }
  }
  return [...byFlag]
    .map(([flag, offers]) => {
      const [only, ...others] = [...offers.keys()];
      if (others.length === 0) return `    ${flag}) ${only} ;;`;
      const cases = [...offers].map(
        ([values, paths]) => `        ${paths.map((path) => `'${path}'`).join(' | ')}) ${values} ;;`,
      );
      return [`    ${flag})`, '      case $command in', ...cases, '      esac', '      ;;'].join('\n');
    })
    .join('\n');
}
