/** What is there of an export, and what a run does with it. Pure; the table of docs/updates.md. */

/** What is on disk of one export, as far as a run decides on it. */
export interface Existing {
  /** An interrupted run. `ours`: of the same ID, format, fields, limit and address. */
  readonly run: 'none' | 'ours' | 'another';
  /**
   * FILE. `none`: there is none, or an empty one. `archive`: of this ID, as recorded, and asked for as one. `changed`: such
   * an archive, but its size or time are not as recorded. `other`: anything else.
   */
  readonly file: 'none' | 'archive' | 'changed' | 'other';
  /** The record of FILE is of another ID. */
  readonly isOfAnotherId: boolean;
  /** There is a `.chanlist`. */
  readonly hasFolder: boolean;
}

export type Flags = 'no flag' | '--update' | '--restart';

/** What a run does with an export; a refusal (2) says what is there instead. */
export type Step = 'export' | 'resume' | 'keep' | 'update' | Refusal;
export type Refusal = 'another run' | 'not mounted' | 'another file';

type Cell = Step | ((existing: Existing) => Step);

interface Row extends Readonly<Record<Flags, Cell>> {
  /** As docs/updates.md has it. */
  readonly what: string;
  readonly fits: (existing: Existing) => boolean;
}

/** The first row that fits applies. */
export const table: readonly Row[] = [
  {
    what: 'pages of an interrupted run with the same ID, format, fields, limit and address',
    fits: ({ run }) => run === 'ours',
    'no flag': 'resume',
    '--update': 'resume',
    '--restart': 'export',
  },
  {
    what: 'pages of any other interrupted run of FILE',
    fits: ({ run }) => run === 'another',
    'no flag': 'another run',
    '--update': 'another run',
    '--restart': 'export',
  },
  {
    what: 'no FILE, or an empty one',
    fits: ({ file }) => file === 'none',
    'no flag': 'export',
    '--update': ({ hasFolder }) => (hasFolder ? 'export' : 'not mounted'),
    '--restart': 'export',
  },
  {
    what: 'an archive of this ID, asked for as one',
    fits: ({ file }) => file === 'archive' || file === 'changed',
    'no flag': 'keep',
    '--update': 'update',
    '--restart': 'export',
  },
  {
    what: 'any other FILE',
    fits: () => true,
    'no flag': 'another file',
    // One without a record is taken as an archive, if it is one.
    '--update': ({ isOfAnotherId }) => (isOfAnotherId ? 'another file' : 'update'),
    '--restart': 'export',
  },
];

/** What a run does with one export. */
export function nextStep(existing: Existing, flags: Flags): Step {
  const cell = table.find(({ fits }) => fits(existing))?.[flags] ?? 'another file';
  return typeof cell === 'function' ? cell(existing) : cell;
}
