/** The shells with completions, and the file of each below `completions/`. */
export const shells = { bash: 'chanlist.bash', zsh: '_chanlist', fish: 'chanlist.fish' } as const;
export type Shell = keyof typeof shells;
export const shellNames = Object.keys(shells) as readonly Shell[];
