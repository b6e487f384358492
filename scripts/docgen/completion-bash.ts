import { type Completion, type Node, notice, type Word } from './tree.ts';

/** The completion script for bash, from 3.2 on. */
export function bashCompletion(nodes: readonly Node[]): string {
  const withValue = nodes.flatMap(({ flags }) => flags.filter(({ value }) => value !== null));
  return `# bash completion for chanlist
${notice}

# Offers the words of $1 that begin with the typed text; $2: the part of the word before it.
_chanlist_offer() {
  COMPREPLY=($(compgen -P "$2" -W "$1" -- "$cur"))
}

# Leaves files (default) or folders (dirnames) to readline if this bash can do that; $2: the same for compgen.
_chanlist_files() {
  local IFS=$'\\n'
  compopt -o "$1" 2>/dev/null || COMPREPLY=($(compgen -A "$2" -- "$cur"))
}

# Offers the stored profiles.
_chanlist_profiles() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(chanlist auth list -f csv 2>/dev/null | tail -n +2 | cut -d , -f 2 | grep -x '[[:alnum:]._@-]*')" -- "$cur"))
}

# Offers the fields that are not in the comma list yet.
_chanlist_fields() {
  local before= field left=
  [[ $cur == *,* ]] && before=\${cur%,*},
  cur=\${cur##*,}
  for field in $1; do
    [[ ,$before == *",$field,"* ]] || left+=" $field"
  done
  _chanlist_offer "$left" "$before"
  compopt -o nospace 2>/dev/null
  return 0
}

_chanlist() {
  # At white space alone: Bash splits words at = and : too.
  local typed=\${COMP_LINE:0:COMP_POINT}
  local -a words
  read -ra words <<<"$typed"
  [[ $typed == *[[:space:]] ]] && words+=('')
  local last=$((\${#words[@]} - 1)) command= flag= word i
  for ((i = 1; i < last; i++)); do
    word=\${words[i]}
    flag=
    case $word in
      ${unique(withValue.flatMap(({ names }) => names)).join(' | ')})
        flag=$word
        i=$((i + 1))
        ;;
      *)
        case "$command $word" in
          ${nodes
            .filter(({ path }) => path !== '')
            .map(({ path }) => `'${path.includes(' ') ? path : ` ${path}`}') command='${path}' ;;`)
            .join('\n          ')}
        esac
        ;;
    esac
  done
  ((i > last)) || flag=
  COMPREPLY=()
  local cur=\${words[last]}
  typed=$cur
  if [[ -z $flag && $cur == --*=* ]]; then
    flag=\${cur%%=*}
    cur=\${cur#*=}
  fi
  if [[ -n $flag ]]; then
    _chanlist_value
  elif [[ $cur == -* ]]; then
    _chanlist_flags
  else
    _chanlist_argument
  fi
  # Bash replaces only what follows the last place where it splits.
  local piece=\${COMP_WORDS[COMP_CWORD]}
  [[ $piece == [=:] ]] && piece=
  local before=\${typed%"$piece"}
  before=\${before#"$flag="}
  for ((i = 0; i < \${#COMPREPLY[@]}; i++)); do
    COMPREPLY[i]=\${COMPREPLY[i]#"$before"}
  done
}

# Offers values of $flag.
_chanlist_value() {
  case "$command $flag" in
${valueCases(nodes)}
  esac
}

# Offers the flags of $command.
_chanlist_flags() {
  case $command in
${nodes.map(({ path, flags }) => `    '${path}') _chanlist_offer '${flags.flatMap(({ names }) => names).join(' ')}' ;;`).join('\n')}
  esac
}

# Offers arguments of $command.
_chanlist_argument() {
  case $command in
${nodes.map(({ path, argument }) => `    '${path}') ${offer(argument)} ;;`).join('\n')}
  esac
}

complete -F _chanlist chanlist
`;
}

export const unique = (words: readonly string[]): readonly string[] => [...new Set(words)];

function offer(completion: Completion): string {
  switch (completion.kind) {
    case 'words':
      return `_chanlist_offer '${wordsOf(completion.words)}'`;
    case 'list':
      return `_chanlist_fields '${wordsOf(completion.words)}'`;
    case 'profile':
      return '_chanlist_profiles';
    case 'file':
      return '_chanlist_files default file';
    case 'folder':
      return '_chanlist_files dirnames directory';
    case 'nothing':
      return ':';
  }
}

const wordsOf = (words: readonly Word[]): string => words.map(([word]) => word).join(' ');

/** One case per offer. Files and profiles are offered for a flag of any command. */
function valueCases(nodes: readonly Node[]): string {
  const patterns = new Map<string, string[]>();
  for (const { path, flags } of nodes)
    for (const { names, completion } of flags) {
      if (completion.kind === 'nothing') continue;
      const command = 'words' in completion ? `'${path}'` : '*';
      const offered = patterns.get(offer(completion)) ?? [];
      patterns.set(offer(completion), [...offered, ...names.map((name) => `${command}' ${name}'`)]);
    }
  return [...patterns].map(([text, all]) => `    ${unique(all).join(' | ')}) ${text} ;;`).join('\n');
}
