/** What one writes oneself: undici, JSON.parse and JSON.stringify. `undici-loop.mjs URL CHANNEL` */
import { request } from 'undici';

const [, , base, channel] = process.argv;
const headers = { authorization: 'Bearer sk_bench' };

let query = `channel=${channel}`;
for (;;) {
  const { statusCode, body } = await request(`${base}/api/v2/media/channel/videos?${query}`, { headers });
  if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  const page = await body.json();
  const lines = page.results.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  if (!process.stdout.write(lines)) await new Promise((resolve) => process.stdout.once('drain', resolve));
  if (!page.has_more) break;
  query = `continuation=${encodeURIComponent(page.continuation_token)}`;
}
