const entities: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

/** One character of a secret in the forms that it takes in text, addresses, JSON and HTML. */
function forms(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16).padStart(2, '0');
  const plain = character.replace(/[^A-Za-z0-9]/, '\\$&');
  const entity = entities[character];
  const escapes = [`%${hex}`, `&#${code};`, `&#x0*${hex};`, `\\\\{1,4}u00${hex}`];
  if (entity !== undefined) escapes.push(`&${entity};`);
  return `(?:${escapes.join('|')}|\\\\{0,4}${plain})`;
}

const patterns = new Map<string, RegExp>();

/** A text with `[key]` in place of a secret, also where it stands as part of an address, of JSON or of HTML. */
export function withoutSecret(text: string, secret: string): string {
  const pattern = patterns.get(secret) ?? new RegExp([...secret].map(forms).join(''), 'gi');
  patterns.set(secret, pattern);
  return text.replace(pattern, '[key]');
}
