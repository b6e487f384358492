import { allNodes, names } from './completion-bash.ts';
import { generatedNotice, profileNames, shQuote } from './profiles-shell.ts';
import type { Completion, Flag, Node } from './tree.ts';

/** The completion script for zsh: a file of `$fpath`, and also to be evaluated. */
export function zshCompletion(root: Node): string {
  const nodes = allNodes(root).filter(({ path }) => path !== '');
  return `#compdef chanlist
${generatedNotice.join('\n')}

# Offers the names of the stored profiles.
_chanlist_profiles() {
  local store
  case $OSTYPE in
    darwin*) store=$HOME/Library/Preferences/chanlist/config.json ;;
    *) store=\${XDG_CONFIG_HOME:-$HOME/.config}/chanlist/config.json ;;
  esac
  local -a profiles
  [[ -r $store ]] && profiles=(\${(f)"$(${profileNames[0]} <$store |
    ${profileNames.slice(1).join(' |\n    ')})"})
  compadd "$@" -a profiles
}

${group(root, 'command')}

${nodes.map((node) => (node.children.length > 0 ? group(node, 'action') : leaf(node))).join('\n\n')}

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
function group(node: Node, kind: 'command' | 'action'): string {
  const name = functionName(node);
  const context = kind === 'command' ? `      curcontext="\${curcontext%:*}-$words[1]:"\n` : '';
  return `${name}() {
  local curcontext=$curcontext state state_descr line ret=1
  local -A opt_args
  _arguments -C -s -S \\
${specs(node)} \\
    '(-)1:${kind}:->${kind}' \\
    '(-)*::argument:->argument' && ret=0
  case $state in
    ${kind})
      local -a ${kind}s=(
${described(node.children)}
      )
      _describe -t commands ${kind} ${kind}s && ret=0
      ;;
    argument)
${context}      (( $+functions[${name}_$words[1]] )) && ${name}_$words[1] && ret=0
      ;;
  esac
  return ret
}`;
}

function leaf(node: Node): string {
  const { argument } = node;
  const { completion, name } = argument ?? ({ completion: { kind: 'nothing' }, name: '' } as const);
  // Without the last one zsh offers the flags after the last argument.
  const all =
    argument === null
      ? ['*: :()']
      : completion.kind === 'nothing'
        ? [`*:${name}:()`]
        : [`1:${name}:${action(completion)}`, '*: :()'];
  const rest = all.map((one) => `    ${shQuote(one)}`);
  return `${functionName(node)}() {
  _arguments -s -S \\
${[specs(node), ...rest].join(' \\\n')}
}`;
}

function specs(node: Node): string {
  return node.flags.map((flag) => `    ${spec(flag)}`).join(' \\\n');
}

/** A flag as a specification of `_arguments`. */
function spec(flag: Flag): string {
  const own = flag.repeatable ? [] : names(flag);
  const excluded = [...own, ...flag.excludes];
  const before = `${excluded.length > 0 ? `(${excluded.join(' ')})` : ''}${flag.repeatable ? '*' : ''}`;
  const value = flag.value === null ? '' : `:${specText(flag.value)}:${action(flag.completion)}`;
  const after = `[${specText(flag.description)}]${value}`;
  const long = flag.value === null ? flag.long : `${flag.long}=`;
  if (flag.short === null) return shQuote(`${before}${long}${after}`);
  const short = flag.value === null ? flag.short : `${flag.short}+`;
  return `${shQuote(before)}{${short},${long}}${shQuote(after)}`;
}

function action(completion: Completion): string {
  switch (completion.kind) {
    case 'words':
      return `(${completion.words.join(' ')})`;
    case 'list':
      return `_sequence -s , compadd - ${completion.words.join(' ')}`;
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

function described(nodes: readonly Node[]): string {
  return nodes.map(({ name, summary }) => `        ${shQuote(`${name}:${summary}`)}`).join('\n');
}

/** A text within a specification. */
function specText(text: string): string {
  return text.replace(/[[\]:\\]/g, '\\$&');
}
