import { minimumCredits, type Operation, pageSize } from '../api/contract.ts';
import { credits } from '../text/count.ts';

/** What a call of the operation costs, in a few words. */
export function shortCost(operation: Operation): string {
  if (operation.credits === 0) return 'free';
  if (!operation.paged) return credits(operation.credits);
  // Only for uploads does the specification say how many entries a page holds (section 8).
  const size = operation.name === 'uploads' ? ` of about ${pageSize}` : '';
  return `${credits(operation.credits)} a page${size}`;
}

/** The same as a sentence of the help (service specification, sections 1, 5 and 8). */
export function costSentence(operation: Operation): string {
  const cost = shortCost(operation);
  if (operation.credits > 0) return `Costs ${cost}; an error of the service costs nothing.`;
  return `Costs nothing; the account needs at least ${credits(minimumCredits)}.`;
}
