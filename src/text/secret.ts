/** A text with `[key]` in place of a secret, also where it stands as part of an address. */
export function withoutSecret(text: string, secret: string): string {
  let shown = text;
  for (const form of new Set([secret, encodeURIComponent(secret)])) shown = shown.replaceAll(form, '[key]');
  return shown;
}
