import { type Channel, channelByHandle, channelById } from './channels.ts';
import { demoPlaylist, uploadsOf, type VideoList } from './lists.ts';
import { Refusal } from './refusal.ts';

const handle = /^@[^\s/\\?#@:]+$/;
const channelId = /^UC[\w-]+$/;
const playlistId = /^(?:PL|UU|LL|FL|OL)[\w-]*$/;
/** Host, path, query; the scheme is optional where the host has a dot. */
const url = /^(?:https?:\/\/[^\s/?#]+|[^\s/?#@]+\.[^\s/?#@]+)(?:\/([^\s?#]*))?(?:\?([^\s#]*))?(?:#\S*)?$/i;

/**
 * The channel of a reference (service specification, section 1, rule 4). Refuses a text of another form with
 * 422, a channel that does not exist with 404.
 */
export function findChannel(text: string, parameter: string): Channel {
  const form = channelForm(text);
  if (form === null) {
    throw Refusal.parameter(parameter, 'expected a handle (@name), a channel URL or an ID beginning with UC');
  }
  const channel = form.startsWith('@') ? channelByHandle(form) : channelById(form);
  if (channel === undefined) throw new Refusal(404, 'channel not found');
  return channel;
}

/** The list of a playlist reference (section 4.5); refuses as `findChannel` does. */
export function findPlaylist(text: string, parameter: string): VideoList {
  const id = playlistId.test(text) ? text : new URLSearchParams(url.exec(text)?.[2] ?? '').get('list');
  if (id === null || !playlistId.test(id)) {
    throw Refusal.parameter(
      parameter,
      'expected a playlist URL (with list=) or an ID beginning with PL, UU, LL, FL or OL',
    );
  }
  if (id === demoPlaylist.id) return demoPlaylist;
  const channel = id.startsWith('UU') ? channelById(`UC${id.slice(2)}`) : undefined;
  if (channel === undefined) throw new Refusal(404, 'playlist not found');
  return uploadsOf(channel);
}

/** Handle or ID that a reference holds, or the empty text; null where it has none of the forms. */
function channelForm(text: string): string | null {
  if (handle.test(text) || channelId.test(text)) return text;
  const [first = '', second = ''] = (url.exec(text)?.[1] ?? '').split('/').map(decode);
  if (handle.test(first)) return first;
  if (first === 'channel' && channelId.test(second)) return second;
  // Older forms of a channel URL; no demo channel has one, so they lead to 404.
  return (first === 'c' || first === 'user') && second !== '' ? '' : null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
