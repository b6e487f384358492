/** What can be wrong with an export, and what each code means, in the order in which they are reported. */
export const problemCodes = {
  damaged: 'a record cannot be read',
  duplicate: 'an ID occurs twice (uploads)',
  foreign: 'entries of another channel (uploads)',
  changed: 'size or content are not as remembered',
  no_file: 'remembered, but not there',
  absent: 'expected by --from, but never exported',
  interrupted: 'an interrupted run left its files',
  vanished: 'not found (404) at the last look',
  stale: 'the last successful look is older than --max-age, or unknown',
  failing: 'three consecutive failed runs or more',
} as const;

export type ProblemCode = keyof typeof problemCodes;
