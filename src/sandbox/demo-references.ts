import { Failure } from '../errors.ts';
import type { ReferenceKind } from '../service/contract.ts';
import { parseReference } from '../service/parse-reference.ts';
import { type Channel, channelByHandle, channelById } from './channels.ts';
import { ErrorResponse, issue } from './query.ts';

/**
 * The handle or ID in a reference, or a channel URL that has neither (docs/service.md, 1, rule 4, and 4.5). Refuses a
 * text of another form with 422.
 */
export function readReference(text: string, kind: ReferenceKind, parameter: string = kind): string {
  try {
    return parseReference(text, kind).value;
  } catch (error) {
    throw error instanceof Failure ? new ErrorResponse(422, [issue(parameter, error.message)]) : error;
  }
}

/** The channel of a reference. Refuses one that does not exist with 404. */
export function findChannel(reference: string): Channel {
  // Older forms of a channel URL: the name is that of the handle.
  const [, older = reference] = /^https?:\/\/[^/]+\/(?:c|user)\/([^/?#]+)/i.exec(reference) ?? [];
  const channel = channelById(reference) ?? channelByHandle(older.replace(/^@?/, '@'));
  if (channel === undefined) throw new ErrorResponse(404, 'channel not found');
  return channel;
}

/** The ID that a reference resolves to; every canonical ID resolves to itself. */
export function resolveId(reference: string): string {
  return /^UC[\w-]{22}$/.test(reference) ? reference : findChannel(reference).id;
}
