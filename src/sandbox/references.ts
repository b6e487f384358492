import { type Channel, channelByHandle, channelById, listById, type VideoList } from './channels.ts';
import { Refusal } from './parameters.ts';

const handle = /^@[^\s/\\?#@:]+$/;
const channelId = /^UC[\w-]+$/;
const canonicalId = /^UC[\w-]{22}$/;
const playlistId = /^(?:PL|UU|LL|FL|OL)[\w-]*$/;
/** Scheme, path, query; without a scheme the host needs a dot. */
const url = /^(?:(https?:\/\/)[^\s/?#]+|[^\s/?#@]+\.[^\s/?#@]+)(?:\/([^\s?#]*))?(?:\?([^\s#]*))?(?:#\S*)?$/i;

/**
 * The channel of a reference (service specification, section 1, rule 4). Refuses a text of another form with
 * 422, a channel that does not exist with 404.
 */
export function findChannel(text: string, parameter: string): Channel {
  const name = handleOrId(text, parameter);
  const channel = name.startsWith('@') ? channelByHandle(name) : channelById(name);
  if (channel === undefined) throw new Refusal(404, 'channel not found');
  return channel;
}

/** The ID that a reference resolves to; a canonical ID resolves without a look at the channels. */
export function resolveId(text: string, parameter: string): string {
  const name = handleOrId(text, parameter);
  return canonicalId.test(name) ? name : findChannel(text, parameter).id;
}

/** The list of a playlist reference (section 4.5); refuses as `findChannel` does. */
export function findPlaylist(text: string, parameter: string): VideoList {
  const id = playlistId.test(text) ? text : new URLSearchParams(url.exec(text)?.[3] ?? '').get('list');
  if (id === null || !playlistId.test(id)) {
    throw Refusal.parameter(
      parameter,
      'expected a playlist URL (with list=) or an ID beginning with PL, UU, LL, FL or OL',
    );
  }
  const list = listById(id);
  if (list === undefined) throw new Refusal(404, 'playlist not found');
  return list;
}

/** The handle or ID in a channel reference. A URL without either is a channel that does not exist (404). */
function handleOrId(text: string, parameter: string): string {
  if (handle.test(text) || channelId.test(text)) return text;
  const [, scheme, path = ''] = url.exec(text) ?? [];
  const [first = '', second = ''] = path.split('/').map(decode);
  if (handle.test(first)) return first;
  if (first === 'channel' && channelId.test(second)) return second;
  // Older forms of a channel URL: the name is that of the handle.
  if ((first === 'c' || first === 'user') && handle.test(`@${second}`)) return `@${second}`;
  if (scheme !== undefined && first !== '') throw new Refusal(404, 'channel not found');
  throw Refusal.parameter(parameter, 'expected a handle (@name), a channel URL or an ID beginning with UC');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
