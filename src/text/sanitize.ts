import { loneSurrogates, unsafeRuns } from './unsafe.ts';

/**
 * Remote text made harmless for a terminal, on one line: runs of unsafe characters become one space, half
 * surrogate pairs U+FFFD.
 */
export function sanitize(text: string): string {
  return text.replace(unsafeRuns, ' ').replace(loneSurrogates, '\ufffd');
}
