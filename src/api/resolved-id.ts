import type { JsonText } from '../json/json-text.ts';

/** The canonical ID in an answer of `resolve` (service specification, 2.1); null where there is none. */
export function resolvedId(answer: JsonText): string | null {
  return answer.get('channel_id')?.string() || null;
}
