import type { JsonText } from '../json/json-text.ts';

/** The canonical ID in a result of `resolve` (service specification, 2.1); null if it has none. */
export function resolvedId(answer: JsonText): string | null {
  return answer.get('channel_id')?.string() || null;
}
