/** One reference of a call. */
export interface Item {
  /** As the user gave it: the value of the field `@reference`; null for a continuation token. */
  readonly reference: string | null;
  /** Its place in the output, from 0. */
  readonly position: number;
}
