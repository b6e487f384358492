import { isOdd, oddFeedFields, oddFields, oddSearchFields } from './odd.ts';
import {
  ageText,
  isoTime,
  lengthText,
  published,
  title,
  type Video,
  videoId,
  views,
  viewsText,
} from './videos.ts';

const thumbnailSizes = [
  ['default', 120, 90],
  ['mqdefault', 320, 180],
  ['hqdefault', 480, 360],
  ['sddefault', 640, 480],
  ['maxresdefault', 1280, 720],
] as const;

interface Thumbnail {
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

function thumbnail(id: string, [name, width, height]: (typeof thumbnailSizes)[number]): Thumbnail {
  return { url: `https://images.video.example/vi/${id}/${name}.jpg?v=6613a8fe`, width, height };
}

/**
 * A video entry: the nine fields of the service specification, 2.2, in its order; for `@odd` others too.
 * `position` counts from 0.
 */
export function videoEntry(video: Video, position: number): object {
  const id = videoId(video);
  const entry = {
    videoId: id,
    title: title(video),
    channelId: video.channel.id,
    channelTitle: video.channel.title,
    channelHandle: video.channel.handle,
    lengthText: lengthText(video),
    viewCountText: `${viewsText(video)} • ${ageText(video)}`,
    thumbnails: thumbnailSizes.map((size) => thumbnail(id, size)),
    index: String(position),
  };
  return isOdd(video.channel) ? { ...entry, ...oddFields(video) } : entry;
}

/**
 * An entry of a search result, as a known deployment sends it: the specification shows none. Null if a search does
 * not find the video.
 */
export function searchEntry(video: Video): object | null {
  const id = videoId(video);
  const entry = {
    type: 'video',
    videoId: id,
    title: title(video),
    channelId: video.channel.id,
    channelTitle: video.channel.title,
    channelHandle: video.channel.handle,
    channelVerified: video.number % 2 === 0,
    lengthText: lengthText(video),
    viewCountText: viewsText(video),
    publishedTimeText: ageText(video),
    hasCaptions: video.number % 3 === 0,
    thumbnails: thumbnailSizes.slice(2, 4).map((size) => thumbnail(id, size)),
  };
  if (!isOdd(video.channel)) return entry;
  const fields = oddSearchFields(video);
  return fields && { ...entry, ...fields };
}

/** An entry of the feed, as a known deployment sends it: other names than in the uploads list. */
export function latestEntry(video: Video): object {
  const id = videoId(video);
  const [, , size] = thumbnailSizes;
  const { url, width, height } = thumbnail(id, size);
  const at = published(video);
  const rating = { count: String(views(video) >> 5), average: '4.87', min: '1', max: '5' };
  const entry = {
    videoId: id,
    title: title(video),
    channelId: video.channel.id,
    author: video.channel.title,
    published: isoTime(at),
    updated: isoTime(at + (video.publishedAt === undefined ? 3_600_000 : 0)),
    link: video.short ? `https://video.example/shorts/${id}` : `https://video.example/watch?v=${id}`,
    description: `${title(video)}\n\nChapters, links and thanks below.`,
    thumbnail: { url, width: String(width), height: String(height) },
    viewCount: String(views(video)),
    ...(video.number % 4 === 0 && { starRating: rating }),
  };
  return isOdd(video.channel) ? { ...entry, ...oddFeedFields(video) } : entry;
}
