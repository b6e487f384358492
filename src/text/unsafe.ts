/**
 * The one list of characters that remote text must not bring to a terminal. JSON escapes C0 itself, and leaves the
 * line separators as they are.
 */
const c0 = '\\u0000-\\u001f';
const delAndC1 = '\\u007f-\\u009f';
const separators = '\\u2028\\u2029';
const bidi = '\\u202a-\\u202e\\u2066-\\u2069';
const all = c0 + delAndC1 + separators + bidi;

/** Runs of control characters (C0, DEL, C1), line separators and bidirectional formatting. */
export const unsafeRuns = new RegExp(`[${all}]+`, 'g');

/** Halves of surrogate pairs: UTF-8 has no form for them. */
export const loneSurrogates = /\p{Surrogate}/gu;

const unsafe = new RegExp(`[${all}\\p{Surrogate}]`, 'u');
const unsafeInJson = new RegExp(`[${delAndC1}${bidi}]`);
const allUnsafeInJson = new RegExp(unsafeInJson, 'g');

/** True if a text holds a character that must not reach a terminal, or half a surrogate pair. */
export function isUnsafe(text: string): boolean {
  return unsafe.test(text);
}

/** True if a JSON text holds a character that its canonical form escapes. */
export function isUnsafeJson(json: string): boolean {
  return unsafeInJson.test(json);
}

/** Escapes DEL, C1 and bidirectional formatting characters in a JSON text. */
export function escapeUnsafe(json: string): string {
  if (!unsafeInJson.test(json)) return json;
  return json.replace(allUnsafeInJson, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Maximum size of a token in a message (bytes). */
const maxShownBytes = 4096;

/** True for a token that can be shown in a message and pasted back into a shell. */
export function isShowable(token: string): boolean {
  return !isUnsafe(token) && Buffer.byteLength(token) <= maxShownBytes;
}
