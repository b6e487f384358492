import { unique } from './completion-bash.ts';
import { type Completion, type Flag, type Node, notice, type Word } from './tree.ts';

/** The completion script for fish, from 3.0 on. */
export function fishCompletion(nodes: readonly Node[]): string {
  const withValue = nodes.flatMap(({ flags }) => flags.filter(({ value }) => value !== null));
  const paths = nodes.map(({ path }) => path).filter(Boolean);
  return `# fish completion for chanlist
${notice}

# Succeeds if the command on the line ('' for none yet) is one of these.
function __chanlist_at
    set -l words (commandline -opc)
    set -l path
    set -e words[1]
    while set -q words[1]
        set -l word $words[1]
        set -e words[1]
        switch $word
            case ${unique(withValue.flatMap(({ names }) => names)).join(' ')}
                set -e words[1]
            case '*'
                set -l next (string trim "$path $word")
                contains -- $next ${paths.map(quote).join(' ')}; and set path $next
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
        contains -- (string split -m 1 \\t -- $field)[1] $named; or echo "$before$field"
    end
end

# Prints the stored profiles, each with its address.
function __chanlist_profiles
    chanlist auth list -f csv 2>/dev/null | tail -n +2 | cut -d , -f 2,3 | grep '^[[:alnum:]._@-]*,' | tr , '\\t'
end

complete -c chanlist -f

${nodes.flatMap(argumentLines).join('\n')}

${flagLines(nodes).join('\n')}
`;
}

/** What is offered for the arguments of a command: its actions with their summaries, or values. */
function argumentLines({ path, argument, children }: Node): string[] {
  const values = children.map(({ row }) => `-a ${row.name} -d ${quote(row.summary)}`);
  if (values.length === 0 && argument.kind !== 'nothing') values.push(offer(argument));
  return values.map((value) => `complete -c chanlist -n ${quote(`__chanlist_at '${path}'`)} ${value}`);
}

/** Each flag once, with the commands that take it so. */
function flagLines(nodes: readonly Node[]): string[] {
  const paths = new Map<string, string[]>();
  for (const { path, flags } of nodes)
    for (const line of flags.map(flagLine)) paths.set(line, [...(paths.get(line) ?? []), quote(path)]);
  return [...paths].map(([line, all]) => `complete -c chanlist -n "__chanlist_at ${all.join(' ')}" ${line}`);
}

function flagLine({ names, value, completion, description }: Flag): string {
  const flags = names.map((name) => name.replace(/^--/, '-l ').replace(/^-(?=\w$)/, '-s ')).join(' ');
  return `${flags} ${value === null ? '' : `${offer(completion)} `}-d ${quote(description)}`;
}

function offer(completion: Completion): string {
  switch (completion.kind) {
    case 'words':
      return `-x -a ${quote(described(completion.words))}`;
    case 'list':
      return `-x -a ${quote(`(__chanlist_fields ${described(completion.words)})`)}`;
    case 'profile':
      return `-x -a '(__chanlist_profiles)'`;
    case 'file':
      return '-r -F';
    case 'folder':
      return `-x -a '(__fish_complete_directories)'`;
    case 'nothing':
      return '-x';
  }
}

const described = (words: readonly Word[]): string =>
  words.map(([word, meaning]) => `${word}\\t${quote(meaning)}`).join(' ');

/** A word in single quotes, as fish reads it. */
function quote(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
