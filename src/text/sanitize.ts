/** C0, DEL, C1, the line separators and bidirectional formatting: nothing of it may reach a terminal from remote text. */
const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
const loneSurrogates = /\p{Surrogate}/gu;

/**
 * Remote text made harmless for a terminal, on one line: runs of unsafe characters become one space, half
 * surrogate pairs U+FFFD.
 */
export function sanitize(text: string): string {
  return text.replace(unsafe, ' ').replace(loneSurrogates, '\ufffd');
}
