import { count } from '../text/count.ts';
import { hash } from './random.ts';

/** One video: everything about it is derived from its channel and its number. */
export interface Video {
  readonly channel: Channel;
  /** Counts from the channel's oldest upload, which is 1: growth changes no number. */
  readonly number: number;
  /** Milliseconds since 1970; set if the number does not determine it. */
  readonly publishedAt?: number;
  readonly short?: boolean;
}

/** Identifier of 11 characters: four that name the channel, and the number. */
const videoId = ({ channel, number }: Video): string => channel.prefix + String(number).padStart(7, '0');

function viewCount({ channel, number }: Video): number {
  const chance = hash(channel.seed, number, 6);
  return Math.floor(((chance >>> 8) * 16) / 2 ** (chance % 24));
}

const day = 86_400_000;
/** Publication of the newest upload that a channel starts with: in the past on every machine. */
const anchor = Date.UTC(2025, 0, 1, 16);

export function published({ channel, number, publishedAt }: Video): number {
  if (publishedAt !== undefined) return publishedAt;
  const step = Math.min(day, (19 * 365 * day) / Math.max(1, channel.size));
  return anchor - Math.round((channel.size - number) * step);
}

export const isoTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Age as display text, relative to the day after the channels' newest uploads: the same on every day. */
export function ageText(video: Video): string {
  const days = Math.floor((anchor + day - published(video)) / day);
  const units = { year: 365, month: 30, week: 7, day: 1 };
  for (const [unit, length] of Object.entries(units)) {
    const age = Math.floor(days / length);
    if (age >= 1) return `${count(age, unit, `${unit}s`)} ago`;
  }
  return '3 hours ago';
}

/** Duration as `<minutes>:<seconds>` (docs/service.md, 2.2): mostly minutes, sometimes hours. */
function lengthText({ channel, number }: Video): string {
  const chance = hash(channel.seed, number, 5);
  const seconds = chance % 12 === 0 ? 3600 + ((chance >>> 8) % 14_400) : 7 + ((chance >>> 8) % 2400);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function viewsText(video: Video): string {
  const views = viewCount(video);
  if (views === 0) return 'No views';
  if (views < 1000) return count(views, 'view', 'views');
  const [unit, size] = views < 1_000_000 ? ['K', 1_000] : ['M', 1_000_000];
  const rounded = views / size;
  return `${rounded < 10 ? Math.floor(rounded * 10) / 10 : Math.floor(rounded)}${unit} views`;
}

const topics = (
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

/** Title of a video: mostly plain; one in eight has characters that break tables and quoting. */
export function title({ channel, number }: Video): string {
  const chance = hash(channel.seed, number, 7);
  const pick = chance >>> 8;
  if (chance % 8 === 0) return rare[pick % rare.length] ?? '';
  const topic = topics[(pick >>> 6) % topics.length] ?? '';
  return shapes[pick % shapes.length]?.(topic, number) ?? topic;
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
  return { videoId: videoId(video), title: title(video), channelId, channelTitle, channelHandle };
}

/** A video entry: the nine fields of docs/service.md, 2.2, in order. `position`: from 0. */
export const videoEntry = (video: Video, position: number): object => ({
  ...firstFields(video),
  lengthText: lengthText(video),
  viewCountText: `${viewsText(video)} • ${ageText(video)}`,
  thumbnails: thumbnailsOf(video),
  index: String(position),
});

/** An entry of a search result, as a known deployment sends it: the specification shows none. */
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
    updated: isoTime(at),
    link: `https://video.example/${video.short ? 'shorts/' : 'watch?v='}${id}`,
    description: `${title(video)}\n\nChapters, links and thanks below.`,
    thumbnail: { url: imageUrl(video, 'hqdefault'), width: '480', height: '360' },
    viewCount: String(viewCount(video)),
    ...(video.number % 4 === 0 && { starRating: rating }),
  };
}

/** A demo channel. Nothing is stored: everything is derived from these fields. */
export interface Channel {
  readonly handle: string;
  /** Canonical ID: UC and the name, 24 characters in all. */
  readonly id: string;
  readonly title: string;
  readonly size: number;
  readonly prefix: string;
  /** Seed of its data: N for `@size-N`. */
  readonly seed: number;
  readonly isOdd: boolean;
}

const largestSize = 1_000_000;

export const demoChannel = newChannel('@demo', 'Demo Channel', 1234, 'demo', largestSize + 1);
const named = [
  demoChannel,
  newChannel('@empty', 'Empty Channel', 0, 'none', largestSize + 2),
  newChannel('@odd', 'Odd Channel', 262, 'odd_', largestSize + 4),
];

function newChannel(handle: string, title: string, size: number, prefix: string, seed: number): Channel {
  const id = `UC${handle.slice(1).padEnd(22, '_')}`;
  return { handle, id, title, size, prefix, seed, isOdd: handle === '@odd' };
}

/** `@size-N`. In the IDs of its videos, N is a number of base 36 in capitals. */
export function channelOfSize(size: number): Channel {
  const prefix = size.toString(36).toUpperCase().padStart(4, '0');
  return newChannel(`@size-${size}`, `Size ${size}`, size, prefix, size);
}

export function channelByHandle(text: string): Channel | undefined {
  const handle = text.toLowerCase();
  const size = /^@size-(0|[1-9]\d{0,6})$/.exec(handle)?.[1];
  if (size === undefined) return named.find((channel) => channel.handle === handle);
  return Number(size) > largestSize ? undefined : channelOfSize(Number(size));
}

export function channelById(id: string): Channel | undefined {
  const channel = channelByHandle(`@${id.slice(2).replace(/(?<!_)_+$/, '')}`);
  return channel?.id === id ? channel : undefined;
}
