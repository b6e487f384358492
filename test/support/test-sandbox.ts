import { type Catalog, demoCatalog } from '../../src/sandbox/catalog.ts';
import { type Channel, channelByHandle } from '../../src/sandbox/channels.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/server.ts';
import { videoId } from '../../src/sandbox/videos.ts';

/** A sandbox whose channels change while a test runs. */
export interface TestSandbox extends Sandbox {
  /** Sets the number of uploads of a channel; new uploads come first, old ones keep their IDs. */
  setUploads(handle: string, count: number): void;
  /** Deletes an upload. */
  hide(handle: string, videoId: string): void;
  /** Makes `latest` show `count` uploads that the list does not show yet. */
  latestAhead(handle: string, count: number): void;
}

interface Changes {
  uploads: number;
  /** Numbers of deleted videos. */
  readonly hidden: Set<number>;
  ahead: number;
}

/** Starts a sandbox with the demo data, and with methods that change them. */
export async function startTestSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const changes = new Map<number, Changes>();
  const demo = demoCatalog(0, Date.now);

  /** Numbers of the uploads that are shown, oldest first. */
  const numbers = ({ uploads, hidden, ahead }: Changes, isFeed: boolean): number[] =>
    Array.from({ length: uploads + (isFeed ? ahead : 0) }, (_, at) => at + 1).filter((n) => !hidden.has(n));
  const catalog: Catalog = {
    count: (channel) => {
      const changed = changes.get(channel.code);
      return changed === undefined ? demo.count(channel) : numbers(changed, false).length;
    },
    upload: (channel, position, count) => {
      const changed = changes.get(channel.code);
      if (changed === undefined) return demo.upload(channel, position, count);
      return { channel, number: numbers(changed, false).at(-1 - position) ?? 0 };
    },
    feed: (channel) => {
      const changed = changes.get(channel.code);
      if (changed === undefined) return demo.feed(channel);
      return (
        numbers(changed, true)
          // Specification 4.4: the latest 15 uploads.
          .slice(-15)
          .reverse()
          .map((number) => ({ channel, number }))
      );
    },
  };
  const change = (handle: string): { channel: Channel; changed: Changes } => {
    const channel = channelByHandle(handle);
    if (channel === undefined) throw new Error(`there is no channel ${handle}`);
    const changed = changes.get(channel.code) ?? { uploads: channel.size, hidden: new Set(), ahead: 0 };
    changes.set(channel.code, changed);
    return { channel, changed };
  };
  return {
    ...(await startSandbox({ catalog, ...options })),
    setUploads: (handle, count) => {
      change(handle).changed.uploads = count;
    },
    hide: (handle, id) => {
      const { channel, changed } = change(handle);
      const number = numbers(changed, false).find((number) => videoId({ channel, number }) === id);
      if (number === undefined) throw new Error(`${handle} has no upload ${id}`);
      changed.hidden.add(number);
    },
    latestAhead: (handle, count) => {
      change(handle).changed.ahead = count;
    },
  };
}
