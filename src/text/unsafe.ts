/** DEL, C1 and bidirectional formatting: what JSON leaves unescaped and a terminal must not get. */
const unsafe = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const unsafeAll = new RegExp(unsafe, 'g');

/** A JSON text with DEL, C1 and bidirectional formatting escaped: it means the same. */
export function escapeUnsafe(json: string): string {
  if (!unsafe.test(json)) return json;
  return json.replace(unsafeAll, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
