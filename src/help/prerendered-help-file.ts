/** Name of the file that holds the help of the program, a command (`uploads`, `auth login`) or a topic. */
export function prerenderedHelpFile(kind: 'program' | 'command' | 'topic', words: readonly string[]): string {
  return `${[kind, ...words].join('.')}.txt`;
}
