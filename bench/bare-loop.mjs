/** The floor: node:http follows the tokens over one connection and throws the pages away. `bare-loop.mjs URL CHANNEL` */
import http from 'node:http';

const [, , base, channel] = process.argv;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

/** The token of the next page, found in the last characters of this one; null on the last. */
function page(query) {
  return new Promise((resolve, reject) => {
    const url = `${base}/api/v2/media/channel/videos?${query}`;
    const headers = { authorization: 'Bearer sk_bench' };
    http
      .get(url, { agent, headers }, (response) => {
        let end = '';
        response.on('data', (chunk) => {
          end = chunk.latin1Slice(Math.max(0, chunk.length - 200));
        });
        response.on('end', () => resolve(/"continuation_token":"([^"]+)"/.exec(end)?.[1] ?? null));
      })
      .on('error', reject);
  });
}

let token = await page(`channel=${channel}`);
while (token !== null) token = await page(`continuation=${token}`);
agent.destroy();
