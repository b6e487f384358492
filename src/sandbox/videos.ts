import { count } from '../text/count.ts';
import { hash } from './random.ts';

/** A demo channel. Nothing is stored: everything is derived from these fields. */
export interface Channel {
  readonly handle: string;
  /** Canonical ID: UC and the name, 24 characters in all. */
  readonly id: string;
  readonly title: string;
  /** Number of uploads when the sandbox starts. */
  readonly size: number;
  /** The first four characters of the IDs of its videos. */
  readonly prefix: string;
  /** Seed of its data: N for `@size-N`. */
  readonly seed: number;
}

const largestSize = 1_000_000;

export const demoChannel = newChannel('@demo', 'Demo Channel', 1234, 'demo', largestSize + 1);
export const oddChannel = newChannel('@odd', 'Odd Channel', 262, 'odd_', largestSize + 4);
const emptyChannel = newChannel('@empty', 'Empty Channel', 0, 'none', largestSize + 2);
const namedChannels = [demoChannel, emptyChannel, oddChannel];

function newChannel(handle: string, title: string, size: number, prefix: string, seed: number): Channel {
  return { handle, id: `UC${handle.slice(1).padEnd(22, '_')}`, title, size, prefix, seed };
}

/** Returns the channel `@size-N`. The IDs of its videos begin with N in base 36, in capitals. */
export function channelOfSize(size: number): Channel {
  const prefix = size.toString(36).toUpperCase().padStart(4, '0');
  return newChannel(`@size-${size}`, `Size ${size}`, size, prefix, size);
}

/** Returns the demo channel of a handle or a canonical ID; undefined if there is none. */
export function findChannel(reference: string): Channel | undefined {
  const isId = reference.startsWith('UC');
  const handle = isId ? `@${reference.slice(2).replace(/(?<!_)_+$/, '')}` : reference.toLowerCase();
  const size = Number(/^@size-(0|[1-9]\d{0,6})$/.exec(handle)?.[1] ?? Number.NaN);
  const channel =
    size <= largestSize ? channelOfSize(size) : namedChannels.find((named) => named.handle === handle);
  return isId && channel?.id !== reference ? undefined : channel;
}

/** One video: everything about it is derived from these fields. */
export interface Video {
  readonly channel: Channel;
  /** Number of the upload, counted from the channel's oldest one (1), so that growth changes no number. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly published: number;
}

/** Lowest number of a Short; Shorts occur only in feeds. */
export const firstShort = 5_000_100;

const day = 86_400_000;
/** Publication of the newest upload that a channel starts with, which is in the past on every machine. */
const anchor = Date.UTC(2025, 0, 1, 16);

/** Returns an upload that the channel starts with: there is one per day or, in a large channel, all are within 19 years. */
export function upload(channel: Channel, number: number): Video {
  const step = Math.min(day, (19 * 365 * day) / Math.max(1, channel.size));
  return { channel, number, published: anchor - Math.round((channel.size - number) * step) };
}

/** Returns a pseudo-random number that is always the same for a video and a topic. */
const chanceOf = ({ channel, number }: Video, topic: number): number => hash(channel.seed, number, topic);

/** Returns an ID of 11 characters. */
const videoId = ({ channel, number }: Video): string => channel.prefix + String(number).padStart(7, '0');

export const isoTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Returns the age as text, relative to the day after the channels' newest uploads, so that it is the same on every day. */
export function ageText({ published }: Video): string {
  const days = Math.floor((anchor + day - published) / day);
  for (const [unit, length] of Object.entries({ year: 365, month: 30, week: 7, day: 1 })) {
    const age = Math.floor(days / length);
    if (age >= 1) return `${count(age, unit, `${unit}s`)} ago`;
  }
  return '3 hours ago';
}

/** Returns the duration as `<minutes>:<seconds>` (docs/service.md, 2.2): mostly minutes, sometimes hours. */
function lengthText(video: Video): string {
  const chance = chanceOf(video, 5);
  const seconds = chance % 12 === 0 ? 3600 + ((chance >>> 8) % 14_400) : 7 + ((chance >>> 8) % 2400);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function viewCount(video: Video): number {
  const chance = chanceOf(video, 6);
  return Math.floor(((chance >>> 8) * 16) / 2 ** (chance % 24));
}

function viewsText(video: Video): string {
  const views = viewCount(video);
  if (views === 0) return 'No views';
  if (views < 1000) return count(views, 'view', 'views');
  const [unit, size] = views < 1_000_000 ? ['K', 1_000] : ['M', 1_000_000];
  const rounded = views / size;
  return `${rounded < 10 ? Math.floor(rounded * 10) / 10 : Math.floor(rounded)}${unit} views`;
}

const titles = (
  'Night train to the coast|How to sharpen a kitchen knife|Bread with three ingredients|' +
  'A walk through the old town in the rain|Fixing a bicycle wheel|The history of the pencil|' +
  'Learning to read music|Ten plants that need no sun|Building a small wooden boat|' +
  'Live from the garden|What the tide leaves behind|Chess openings for beginners|' +
  'Repairing an old radio|One pot, five dinners|Why the sky is blue|Mountain weather explained'
).split('|');

const shapes: readonly ((topic: string, number: number) => string)[] = [
  (topic) => topic,
  (topic, number) => `${topic} | Part ${(number % 12) + 1}`,
  (topic, number) => `#${number}: ${topic}`,
  (topic) => `${topic} (full tutorial)`,
  (topic) => `“${topic}” – questions & answers`,
  (topic) => `"${topic}", said nobody, ever`,
  (topic) => `${topic} 🎉🔥 #shorts`,
  (topic, number) => `${topic}, episode ${number}: what we learned, what broke, and what's next`,
];

const rare = [
  '?',
  '👨‍👩‍👧‍👦 Family day at the lake 👩🏽‍🚀',
  '🇯🇵 東京の夜を歩く 🇰🇷 서울의 아침',
  '初めてのパン作り【完全版】材料は三つだけ',
  'كيف تصنع الخبز في المنزل | الحلقة 7',
  'Cafe\u0301 cre\u0300me a\u0300 la carte: e\u0301te\u0301 a\u0300 Zu\u0308rich',
  'हिन्दी में रोटी कैसे बनाएं',
  'C:\\Users\\demo\\videos\\final_FINAL(2).mp4',
  "R&B <live> & \"unplugged\" — it's 'quoted', 100% real; a=b?c=d#e",
  'The very long one: everything that we found in the attic of the old house by the river, listed shelf by shelf, box by box, with the stories behind each of the letters, tools, maps, toys and photographs',
];

/** Returns the title of a video: mostly plain; one in eight has characters that break tables and quoting. */
export function titleOf(video: Video): string {
  const chance = chanceOf(video, 7);
  const pick = chance >>> 8;
  if (chance % 8 === 0) return rare[pick % rare.length] ?? '';
  const topic = titles[(pick >>> 6) % titles.length] ?? '';
  return shapes[pick % shapes.length]?.(topic, video.number) ?? topic;
}

const imageUrl = (video: Video, size: string): string =>
  `https://images.video.example/vi/${videoId(video)}/${size}.jpg`;

const thumbnailsOf = (video: Video): object[] => [
  { url: `${imageUrl(video, 'default')}?v=6613a8fe`, width: 120, height: 90 },
  { url: `${imageUrl(video, 'hqdefault')}?v=6613a8fe`, width: 480, height: 360 },
  { url: `${imageUrl(video, 'maxresdefault')}?v=6613a8fe`, width: 1280, height: 720 },
];

function firstFields(video: Video): object {
  const { id: channelId, title: channelTitle, handle: channelHandle } = video.channel;
  return { videoId: videoId(video), title: titleOf(video), channelId, channelTitle, channelHandle };
}

/** Returns a video entry: the nine fields of docs/service.md, 2.2, in order. `position` counts from 0. */
export const videoEntry = (video: Video, position: number): object => ({
  ...firstFields(video),
  lengthText: lengthText(video),
  viewCountText: `${viewsText(video)} • ${ageText(video)}`,
  thumbnails: thumbnailsOf(video),
  index: String(position),
});

/** Returns an entry of a search result as a known deployment sends it, because the specification does not show one. */
export const searchEntry = (video: Video): object => ({
  type: 'video',
  ...firstFields(video),
  channelVerified: video.number % 2 === 0,
  lengthText: lengthText(video),
  viewCountText: viewsText(video),
  publishedTimeText: ageText(video),
  hasCaptions: video.number % 3 === 0,
  thumbnails: thumbnailsOf(video).slice(0, 2),
});

/** Returns an entry of the feed as a known deployment sends it; fields have other names than in the uploads list. */
export function latestEntry(video: Video): object {
  const { channel, number, published } = video;
  const views = viewCount(video);
  const entry = {
    videoId: videoId(video),
    title: titleOf(video),
    channelId: channel.id,
    author: channel.title,
    published: isoTime(published),
    updated: isoTime(published),
    link: `https://video.example/${number >= firstShort ? 'shorts/' : 'watch?v='}${videoId(video)}`,
    description: `${titleOf(video)}\n\nChapters, links and thanks below.`,
    thumbnail: { url: imageUrl(video, 'hqdefault'), width: '480', height: '360' },
    viewCount: String(views),
  };
  const starRating = { count: String(views >> 5), average: '4.87', min: '1', max: '5' };
  return number % 4 === 0 ? { ...entry, starRating } : entry;
}
