import { Failure } from '../errors.ts';
import type { ReferenceKind } from '../service/contract.ts';
import { parseReference } from '../service/references.ts';
import { type Channel, channelByHandle, channelById } from './channels.ts';
import { badParameter, Refusal } from './parameters.ts';

/**
 * The channel of a reference (docs/service.md, 1, rule 4). Refuses a text of another form with
 * 422, a channel that does not exist with 404.
 */
export function findChannel(text: string, parameter = 'channel'): Channel {
  const name = parse(text, 'channel', parameter);
  // Older forms of a channel URL: the name is that of the handle.
  const [, older = name] = /^https?:\/\/[^/]+\/(?:c|user)\/([^/?#]+)/i.exec(name) ?? [];
  const channel = channelById(name) ?? channelByHandle(older.replace(/^@?/, '@'));
  if (channel === undefined) throw new Refusal(404, 'channel not found');
  return channel;
}

/** The ID that an input resolves to; every canonical ID resolves to itself. Refuses as `findChannel` does. */
export function resolveId(input: string): string {
  const name = parse(input, 'channel', 'input');
  return /^UC[\w-]{22}$/.test(name) ? name : findChannel(input, 'input').id;
}

/** The ID in a playlist reference (section 4.5). Refuses a text of another form with 422. */
export function findPlaylistId(text: string): string {
  return parse(text, 'playlist', 'playlist');
}

/** The handle or ID in a reference, or a channel URL that has neither. */
function parse(text: string, kind: ReferenceKind, parameter: string): string {
  try {
    return parseReference(text, kind).value;
  } catch (error) {
    throw error instanceof Failure ? badParameter(parameter, error.message) : error;
  }
}
