/** Longest part of an input that a message repeats, in UTF-16 code units. */
const maxLength = 200;

/** An input as a message repeats it: whole, or its start and an ellipsis. */
export function excerpt(text: string): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
