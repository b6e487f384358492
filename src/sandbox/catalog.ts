import { latestSize } from '../api/contract.ts';
import { type Channel, channelByCode } from './channels.ts';
import { demoPlaylistSize, type VideoList } from './lists.ts';
import { type Video, videoId } from './videos.ts';

/** What has happened to a channel since the sandbox started. */
interface Changes {
  uploads: number;
  /** Numbers of deleted videos, greatest first. */
  readonly hidden: number[];
  /** Uploads that `latest` shows already and the list does not. */
  ahead: number;
}

/** Which videos there are. Positions count from the newest upload, numbers from the oldest. */
export class Catalog {
  readonly #changes = new Map<number, Changes>();
  /** Grows with every change: what was built before is out of date. */
  version = 0;

  /** How many videos a list holds. */
  count(list: VideoList): number {
    if (list.kind === 'playlist') return demoPlaylistSize;
    const { uploads, hidden } = this.#of(list.owner);
    return uploads - hidden.filter((number) => number <= uploads).length;
  }

  /** The video at a position of a list, from 0. */
  video(list: VideoList, position: number): Video {
    if (list.kind === 'playlist') return playlistVideo(list, position);
    const { uploads, hidden } = this.#of(list.owner);
    return { channel: list.owner, number: numberAt(uploads, hidden, position) };
  }

  /** The newest uploads, as the feed shows them (service specification, 4.4). */
  latest(channel: Channel): Video[] {
    const { uploads, hidden, ahead } = this.#of(channel);
    const total = uploads + ahead;
    const shown = total - hidden.filter((number) => number <= total).length;
    return Array.from({ length: Math.min(latestSize, shown) }, (_, position) => ({
      channel,
      number: numberAt(total, hidden, position),
    }));
  }

  /** The channel has `count` uploads now; the ones that it had before keep their IDs. */
  setUploads(channel: Channel, count: number): void {
    this.#change(channel).uploads = count;
  }

  /** `latest` shows `count` uploads more than the list. */
  setAhead(channel: Channel, count: number): void {
    this.#change(channel).ahead = count;
  }

  /** Deletes an upload. */
  hide(channel: Channel, id: string): void {
    const { uploads, hidden } = this.#change(channel);
    for (let number = uploads; number > 0; number--) {
      if (videoId({ channel, number }) !== id || hidden.includes(number)) continue;
      hidden.push(number);
      hidden.sort((a, b) => b - a);
      return;
    }
    throw new Error(`${channel.handle} has no upload ${id}`);
  }

  #of(channel: Channel): Changes {
    return this.#changes.get(channel.code) ?? { uploads: channel.size, hidden: [], ahead: 0 };
  }

  #change(channel: Channel): Changes {
    this.version++;
    const changes = this.#of(channel);
    this.#changes.set(channel.code, changes);
    return changes;
  }
}

function numberAt(uploads: number, hidden: readonly number[], position: number): number {
  let number = uploads - position;
  for (const gone of hidden) if (gone <= uploads && gone >= number) number--;
  return number;
}

/** Every fifth video of the playlist comes from another channel than its owner's. */
function playlistVideo(list: VideoList, position: number): Video {
  const guest = position % 5 === 4 ? channelByCode(500) : undefined;
  return guest === undefined
    ? { channel: list.owner, number: position * 3 + 1 }
    : { channel: guest, number: position + 1 };
}
