import { oddFeedFields, oddFields } from './odd.ts';
import {
  ageText,
  isoTime,
  lengthText,
  published,
  title,
  type Video,
  videoId,
  viewCount,
  viewsText,
} from './videos.ts';

const thumbnailSizes = [
  ['default', 120, 90],
  ['mqdefault', 320, 180],
  ['hqdefault', 480, 360],
  ['sddefault', 640, 480],
  ['maxresdefault', 1280, 720],
] as const;

const thumbnailsOf = (id: string) =>
  thumbnailSizes.map(([name, width, height]) => {
    return { url: `https://images.video.example/vi/${id}/${name}.jpg?v=6613a8fe`, width, height };
  });

function firstFields(video: Video, id: string) {
  const { id: channelId, title: channelTitle, handle: channelHandle } = video.channel;
  return { videoId: id, title: title(video), channelId, channelTitle, channelHandle };
}

/**
 * A video entry: the nine fields of docs/service.md, 2.2, in that order; for `@odd` others too.
 * `position` counts from 0.
 */
export function videoEntry(video: Video, position: number): object {
  const id = videoId(video);
  return {
    ...firstFields(video, id),
    lengthText: lengthText(video),
    viewCountText: `${viewsText(video)} • ${ageText(video)}`,
    thumbnails: thumbnailsOf(id),
    index: String(position),
    ...(video.channel.isOdd && oddFields(video)),
  };
}

/** An entry of a search result, as a known deployment sends it: the specification shows none. */
export function searchEntry(video: Video): object {
  const id = videoId(video);
  return {
    type: 'video',
    ...firstFields(video, id),
    channelVerified: video.number % 2 === 0,
    lengthText: lengthText(video),
    viewCountText: viewsText(video),
    publishedTimeText: ageText(video),
    hasCaptions: video.number % 3 === 0,
    thumbnails: thumbnailsOf(id).slice(2, 4),
  };
}

/** An entry of the feed, as a known deployment sends it: other names than in the uploads list. */
export function latestEntry(video: Video): object {
  const id = videoId(video);
  const at = published(video);
  const rating = { count: String(viewCount(video) >> 5), average: '4.87', min: '1', max: '5' };
  return {
    videoId: id,
    title: title(video),
    channelId: video.channel.id,
    author: video.channel.title,
    published: isoTime(at),
    updated: isoTime(at + (video.publishedAt === undefined ? 3_600_000 : 0)),
    link: `https://video.example/${video.short ? 'shorts/' : 'watch?v='}${id}`,
    description: `${title(video)}\n\nChapters, links and thanks below.`,
    thumbnail: { url: `https://images.video.example/vi/${id}/hqdefault.jpg`, width: '480', height: '360' },
    viewCount: String(viewCount(video)),
    ...(video.number % 4 === 0 && { starRating: rating }),
    ...(video.channel.isOdd && oddFeedFields(video)),
  };
}
