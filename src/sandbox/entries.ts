import { title } from './titles.ts';
import { ageText, lengthText, published, type Video, videoId, viewCountText, views } from './videos.ts';

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

/** A video entry with the nine fields of the service specification, 2.2, in its order; `position` from 0. */
export function videoEntry(video: Video, position: number): object {
  const id = videoId(video);
  return {
    videoId: id,
    title: title(video),
    channelId: video.channel.id,
    channelTitle: video.channel.title,
    channelHandle: video.channel.handle,
    lengthText: lengthText(video),
    viewCountText: viewCountText(video),
    thumbnails: thumbnailSizes.map((size) => thumbnail(id, size)),
    index: String(position),
  };
}

/** An entry of a search result, as a known deployment sends it: the specification does not show one. */
export function searchEntry(video: Video): object {
  const id = videoId(video);
  return {
    type: 'video',
    videoId: id,
    title: title(video),
    channelId: video.channel.id,
    channelTitle: video.channel.title,
    channelHandle: video.channel.handle,
    channelVerified: video.number % 2 === 0,
    lengthText: lengthText(video),
    viewCountText: viewCountText(video),
    publishedTimeText: ageText(video),
    hasCaptions: video.number % 3 === 0,
    thumbnails: thumbnailSizes.slice(2, 4).map((size) => thumbnail(id, size)),
  };
}

/** An entry of the latest uploads, as a known deployment sends it: other names than in the uploads list. */
export function latestEntry(video: Video): object {
  const id = videoId(video);
  const [, , size] = thumbnailSizes;
  const { url, width, height } = thumbnail(id, size);
  const at = published(video);
  return {
    videoId: id,
    title: title(video),
    channelId: video.channel.id,
    author: video.channel.title,
    published: new Date(at).toISOString(),
    updated: new Date(at + 3_600_000).toISOString(),
    link: `https://video.example/watch?v=${id}`,
    description: `${title(video)}\n\nChapters, links and thanks below.`,
    thumbnail: { url, width: String(width), height: String(height) },
    viewCount: String(views(video)),
    ...(video.number % 4 === 0 ? { starRating: { count: String(views(video) >> 5), average: '4.87' } } : {}),
  };
}
