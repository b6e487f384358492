/** Shorter secrets are not hidden in every message: they match ordinary words. */
export const minSecretLength = 8;

/** Replaces a secret in a text by `[key]`: plain, percent-encoded or JSON-escaped. Case is ignored. */
export function withoutSecret(text: string, secret: string): string {
  return secret === '' ? text : text.replace(formsOf(secret), '[key]');
}

/** The three forms of a secret, the longest first; each character of the first two may stand for itself where it can. */
function formsOf(secret: string): RegExp {
  const characters = [...secret].map((character) => {
    const plain = character.replace(/[^A-Za-z0-9]/, '\\$&');
    const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
    const escaped = /["\\]/.test(character) ? `\\\\${plain}` : character === '/' ? '\\\\?\\/' : plain;
    const percent = /[%\\]/.test(character) ? `%${hex}` : `(?:%${hex}|${plain})`;
    return { plain, percent, json: `(?:${escaped}|\\\\u00${hex})` };
  });
  const forms = (['percent', 'json', 'plain'] as const).map((form) => characters.map((each) => each[form]));
  return new RegExp(forms.map((form) => form.join('')).join('|'), 'gi');
}
