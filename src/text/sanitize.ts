/** Characters that neither a terminal nor a JSON text may contain: DEL, C1, bidirectional formatting. */
const unsafe = '\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069';
const unsafeInJson = new RegExp(`[${unsafe}]`, 'g');
/** Also matches C0, which JSON escapes itself, and line separators. */
const unsafeRuns = new RegExp(`[\\u0000-\\u001f\\u2028\\u2029${unsafe}]+`, 'g');

/** Whether a text contains only printable ASCII: as wide as it is long, and harmless everywhere. */
export function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

/** Makes remote text harmless for a terminal: runs of unsafe characters become a space, lone surrogates U+FFFD. */
export function sanitize(text: string): string {
  return isPlain(text) ? text : text.replace(unsafeRuns, ' ').toWellFormed();
}

/** Whether a text contains a character that must not reach a terminal, or a lone surrogate. */
export function isUnsafe(text: string): boolean {
  return sanitize(text) !== text;
}

/** Whether a text is in quotes, as in an env file. */
export const isQuoted = (text: string): boolean => /^(["']).*\1$/s.test(text);

/** Escapes DEL, C1 and bidirectional formatting characters in a JSON text. */
export function escapeUnsafe(json: string): string {
  return json.replace(unsafeInJson, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Minimum length of a secret that every message hides: shorter ones match ordinary words. */
export const minSecretLength = 8;

/** Replaces a secret in a text by `[key]`: plain, percent-encoded or JSON-escaped. Case is ignored. */
export function withoutSecret(text: string, secret: string): string {
  return secret === '' ? text : text.replace(secretPattern(secret), '[key]');
}

const plainForm = (character: string): string => character.replace(/[^A-Za-z0-9]/, '\\$&');
const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
const percentForm = (character: string): string =>
  /[%\\]/.test(character) ? `%${hexOf(character)}` : `(?:%${hexOf(character)}|${plainForm(character)})`;
function jsonForm(character: string): string {
  const plain = plainForm(character);
  const escaped = /["\\]/.test(character) ? `\\\\${plain}` : character === '/' ? '\\\\?\\/' : plain;
  return `(?:${escaped}|\\\\u00${hexOf(character)})`;
}

/** Matches the three forms of a secret; in the encoded ones a character may also be plain where that is legal. */
function secretPattern(secret: string): RegExp {
  const forms = [percentForm, jsonForm, plainForm].map((form) => [...secret].map(form).join(''));
  return new RegExp(forms.join('|'), 'gi');
}
