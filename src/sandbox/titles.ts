import { hash } from './random.ts';
import type { Video } from './videos.ts';

const topics = [
  'Night train to the coast',
  'How to sharpen a kitchen knife',
  'Bread with three ingredients',
  'A walk through the old town in the rain',
  'Fixing a bicycle wheel',
  'The history of the pencil',
  'Learning to read music',
  'Ten plants that need no sun',
  'Building a small wooden boat',
  'Live from the garden',
  'What the tide leaves behind',
  'Chess openings for beginners',
  'Repairing an old radio',
  'One pot, five dinners',
  'Why the sky is blue',
  'Mountain weather explained',
];

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
  'A',
  '?',
  '…',
  '👨‍👩‍👧‍👦 Family day at the lake 👩🏽‍🚀',
  '🇯🇵 東京の夜を歩く 🇰🇷 서울의 아침',
  '初めてのパン作り【完全版】材料は三つだけ',
  '如何用三种材料做面包(第12集)',
  'كيف تصنع الخبز في المنزل | الحلقة 7',
  'איך לאפות לחם בבית, פרק 3',
  'Cafe\u0301 cre\u0300me a\u0300 la carte: e\u0301te\u0301 a\u0300 Zu\u0308rich',
  'Z\u0351\u036f\u0314a\u0329\u0347l\u034e\u0320g\u0353\u033co\u0348 stacked marks',
  'สวัสดีครับ ทำขนมปังที่บ้าน',
  'हिन्दी में रोटी कैसे बनाएं',
  'C:\\Users\\demo\\videos\\final_FINAL(2).mp4',
  "R&B <live> & \"unplugged\" — it's 'quoted', 100% real; a=b?c=d#e",
  'Comma, separated, values, "with ""doubled"" quotes", and; semicolons',
  '½ price: naïve façade, Ærøskøbing → Łódź ★★★☆☆',
  'Ａｌｌ　ｗｉｄｅ　ｌｅｔｔｅｒｓ',
  '𝓕𝓪𝓷𝓬𝔂 𝕝𝕖𝕥𝕥𝕖𝕣𝕤 outside the basic plane 𠜎𠜱𠝹',
  'The very long one: everything that we found in the attic of the old house by the river, listed shelf by shelf, box by box, with the stories behind each of the letters, tools, maps, toys and photographs',
];

/** Title of a video: mostly plain, one in eight of the kinds that break tables and quoting. */
export function title({ channel, number }: Video): string {
  const chance = hash(channel.code, number, 7);
  const pick = chance >>> 8;
  if (chance % 8 === 0) return rare[pick % rare.length] ?? '';
  const shape = shapes[pick % shapes.length];
  const topic = topics[(pick >>> 6) % topics.length] ?? '';
  return shape === undefined ? topic : shape(topic, number);
}
