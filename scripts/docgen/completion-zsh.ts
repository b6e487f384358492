import { type Completion, type Flag, type Node, notice } from './tree.ts';

/** The completion script for zsh: a file of `$fpath`, and also to be evaluated. */
export function zshCompletion(nodes: readonly Node[]): string {
  return `#compdef chanlist
${notice}

# Offers the stored profiles.
_chanlist_profiles() {
  local -a profiles=(\${(f)"$(chanlist auth list -f csv 2>/dev/null | tail -n +2 | cut -d , -f 2,3 | grep '^[[:alnum:]._@-]*,' | sed 's/,/:/')"})
  _describe profile profiles
}

${[...functions(nodes)].map(([name, body]) => `${name}() {\n${body}\n}`).join('\n\n')}

${nodes.map((node) => (node.children.length > 0 ? group(node) : leaf(node))).join('\n\n')}

if [[ $funcstack[1] == _chanlist ]]; then
  _chanlist "$@"
else
  compdef _chanlist chanlist
fi
`;
}

/** The functions that offer words, by their names. */
function functions(nodes: readonly Node[]): Map<string, string> {
  const completions = nodes.flatMap(({ flags, argument, children }) => [
    ...flags.map(({ completion }) => completion),
    ...(children.length === 0 ? [argument] : []),
  ]);
  return new Map(
    completions.flatMap((completion) =>
      'words' in completion ? [[action(completion), body(completion)]] : [],
    ),
  );
}

function body({ kind, words }: Extract<Completion, { words: unknown }>): string {
  if (kind === 'list')
    return `  _values -s , field \\\n${words.map(([word, meaning]) => `    ${quote(`${word}[${specText(meaning)}]`)}`).join(' \\\n')}`;
  const lines = words.map(([word, meaning]) => `    ${quote(`${word.replaceAll(':', '\\:')}:${meaning}`)}`);
  return `  local -a words=(\n${lines.join('\n')}\n  )\n  _describe value words`;
}

function functionName({ path }: Node): string {
  return ['_chanlist', ...path.split(' ').filter(Boolean)].join('_');
}

/** The function that completes flags, then a command or an action, then its arguments. */
function group(node: Node): string {
  const name = functionName(node);
  const commands = node.children.map(({ row }) => `        ${quote(`${row.name}:${row.summary}`)}`);
  return `${name}() {
  local curcontext=$curcontext state state_descr line ret=1
  local -A opt_args
  _arguments -C -s -S \\
${specs(node)} \\
    '(-)1:command:->command' \\
    '(-)*::argument:->argument' && ret=0
  case $state in
    command)
      local -a commands=(
${commands.join('\n')}
      )
      _describe -t commands command commands && ret=0
      ;;
    argument)
      curcontext="\${curcontext%:*}-$words[1]:"
      (( $+functions[${name}_$words[1]] )) && ${name}_$words[1] && ret=0
      ;;
  esac
  return ret
}`;
}

function leaf(node: Node): string {
  return `${functionName(node)}() {
  _arguments -s -S \\
${specs(node)} \\
    ${quote(`*:argument:${action(node.argument) || '()'}`)}
}`;
}

const specs = ({ flags }: Node): string => flags.map((flag) => `    ${spec(flag)}`).join(' \\\n');

/** A flag as a specification of `_arguments`. */
function spec({ names, value, completion, description, repeatable }: Flag): string {
  const before = repeatable ? '*' : `(${names.join(' ')})`;
  const after = `[${specText(description)}]${value === null ? '' : `:${specText(value)}:${action(completion)}`}`;
  // `-n+` takes its value in the same word, too, `--limit=` after the sign.
  const typed = names.map((name) => (value === null ? name : `${name}${name.startsWith('--') ? '=' : '+'}`));
  return typed.length === 1
    ? quote(`${before}${typed[0]}${after}`)
    : `${quote(before)}{${typed.join(',')}}${quote(after)}`;
}

function action(completion: Completion): string {
  switch (completion.kind) {
    case 'words':
    case 'list':
      return `_chanlist_offer_${completion.name}`;
    case 'profile':
      return '_chanlist_profiles';
    case 'file':
      return '_files';
    case 'folder':
      return '_files -/';
    case 'nothing':
      return '';
  }
}

/** A text within a specification. */
function specText(text: string): string {
  return text.replace(/[[\]:\\]/g, '\\$&');
}

/** A word in single quotes. */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
