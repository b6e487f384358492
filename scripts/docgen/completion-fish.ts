import { allNodes, names } from './completion-bash.ts';
import { generatedNotice, profileNames } from './profiles-shell.ts';
import type { Completion, Flag, Node } from './tree.ts';

/** The completion script for fish, from 3.0 on. */
export function fishCompletion(root: Node): string {
  const nodes = allNodes(root);
  const withValue = [
    ...new Set(nodes.flatMap(({ flags }) => flags.filter(({ value }) => value !== null)).flatMap(names)),
  ];
  return `# fish completion for chanlist
${generatedNotice.join('\n')}

# The command on the line, without flags and their values, one word per line.
function __chanlist_words
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        set -l word $words[1]
        set -e words[1]
        switch $word
            case ${withValue.join(' ')}
                set -e words[1]
            case '-*'
            case '*'
                echo -- $word
        end
    end
end

# Succeeds if one of the given commands ('' for none yet) is on the line.
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

# Succeeds if only the given command is on the line.
function __chanlist_only
    set -l words (__chanlist_words)
    test "$words" = "$argv"
end

# Prints the names of the stored profiles, one per line.
function __chanlist_profiles
    set -l folder $HOME/.config
    set -q XDG_CONFIG_HOME; and test -n "$XDG_CONFIG_HOME"; and set folder $XDG_CONFIG_HOME
    test (uname) = Darwin; and set folder $HOME/Library/Preferences
    set -l store $folder/chanlist/config.json
    test -r $store; or return 0
    ${profileNames[0]} <$store | ${profileNames.slice(1).join(' |\n        ')}
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

${nodes
  .filter(({ children }) => children.length > 0)
  .flatMap(commandLines)
  .join('\n')}

${nodes.flatMap(argumentLines).join('\n')}

${flagLines(nodes).join('\n')}
`;
}

/** Subcommands of a command. */
function commandLines(node: Node): string[] {
  const condition = node.path === '' ? `__chanlist_at ''` : `__chanlist_only ${node.path}`;
  return node.children.map(
    ({ name, summary }) => `complete -c chanlist -n ${quote(condition)} -a ${name} -d ${quote(summary)}`,
  );
}

function argumentLines(node: Node): string[] {
  const values = node.argument === null ? null : offer(node.argument.completion);
  if (values === null) return [];
  return [`complete -c chanlist -n ${quote(`__chanlist_only ${node.path}`)} ${values}`];
}

/** Each flag once, with the commands that take it so. */
function flagLines(nodes: readonly Node[]): string[] {
  const paths = new Map<string, string[]>();
  for (const node of nodes) {
    for (const flag of node.flags) {
      const line = flagLine(flag);
      paths.set(line, [...(paths.get(line) ?? []), node.path]);
    }
  }
  return [...paths].map(([line, at]) => {
    const words = at.map((path) => (/^\w+$/.test(path) ? path : `'${path}'`)).join(' ');
    return `complete -c chanlist -n "__chanlist_at ${words}" ${line}`;
  });
}

function flagLine(flag: Flag): string {
  const short = flag.short === null ? '' : `-s ${flag.short.slice(1)} `;
  const values = flag.value === null ? '' : `${offer(flag.completion) ?? '-x'} `;
  return `${short}-l ${flag.long.slice(2)} ${values}-d ${quote(flag.description)}`;
}

function offer(completion: Completion): string | null {
  switch (completion.kind) {
    case 'words':
      return `-x -a ${quote(completion.words.join(' '))}`;
    case 'list':
      return `-x -a ${quote(`(__chanlist_fields ${completion.words.join(' ')})`)}`;
    case 'profile':
      return `-x -a '(__chanlist_profiles)'`;
    case 'file':
      return '-r -F';
    case 'folder':
      return `-x -a '(__fish_complete_directories)'`;
    case 'nothing':
      return null;
  }
}

/** A word in single quotes, as fish reads it. */
function quote(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
