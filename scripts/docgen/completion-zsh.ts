import { type Completion, type Flag, type Node, notice } from './tree.ts';

/** The completion script for zsh: a file of `$fpath`, and also to be evaluated. */
export function zshCompletion(nodes: readonly Node[]): string {
  return `#compdef chanlist
${notice}

${nodes.map((node) => (node.children.length > 0 ? group(node) : leaf(node))).join('\n\n')}

if [[ $funcstack[1] == _chanlist ]]; then
  _chanlist "$@"
else
  compdef _chanlist chanlist
fi
`;
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
      return `(${completion.words.map(specText).join(' ')})`;
    case 'list':
      return `_sequence -s , compadd - ${completion.words.join(' ')}`;
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
