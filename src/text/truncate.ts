/** Maximum length of an input that a message repeats, in UTF-16 code units. */
const maxExcerpt = 200;

/** Returns a text of at most `length` UTF-16 code units: the whole text, or its start and an ellipsis. */
export const truncate = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;

/** Truncates an input for a message that repeats it. */
export const excerpt = (text: string): string => truncate(text, maxExcerpt);
