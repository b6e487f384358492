/**
 * Measures a night without new uploads: `chanlist uploads --from refs.txt --output-dir exports --update` on 1,000 and
 * on 10,000 channels of 3 entries. `node bench/night.mjs`, after `npm run build`; the exports take 80 MB of disk.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

if (process.argv[2] === 'serve') await serve();
else await measureAll();

/** A service with 3 uploads per channel; prints its address, then the number of requests so far at each SIGUSR2. */
async function serve() {
  let requests = 0;
  const id = (reference) => `UC${reference.replace('@', '').padStart(22, '0')}`;
  const entries = (channelId, one) =>
    [2, 1, 0].map((n) => ({
      videoId: `${channelId.slice(-9)}_${n}`,
      title: `Upload ${n}`,
      channelId,
      ...one(n),
    }));
  const server = createServer((request, response) => {
    requests++;
    const { pathname, searchParams } = new URL(request.url, 'http://service');
    const reference = searchParams.get('channel') ?? searchParams.get('input');
    const channelId = reference.startsWith('UC') ? reference : id(reference);
    const body = pathname.endsWith('/resolve')
      ? { channel_id: channelId, resolved_from: reference }
      : pathname.endsWith('/latest')
        ? { results: entries(channelId, (n) => ({ published: `2025-01-0${n + 1}T00:00:00Z` })) }
        : {
            results: entries(channelId, (n) => ({ lengthText: '1:00', index: String(2 - n) })),
            playlist_info: { title: 'Uploads', numVideos: '3' },
            continuation_token: null,
            has_more: false,
          };
    response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('SIGUSR2', () => console.log(requests));
  console.log(`http://127.0.0.1:${server.address().port}`);
}

async function measureAll() {
  const folder = mkdtempSync(join(tmpdir(), 'chanlist-bench-'));
  const server = spawn(process.execPath, [fileURLToPath(import.meta.url), 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const answer = async () => String((await once(server.stdout, 'data'))[0]).trim();
  const url = await answer();
  const requests = async () => {
    const number = answer();
    server.kill('SIGUSR2');
    return Number(await number);
  };
  try {
    console.log('| what | requests | processor time per channel | peak memory |\n|---|---|---|---|');
    for (const channels of [1000, 10_000]) {
      const refs = join(folder, `refs-${channels}.txt`);
      writeFileSync(refs, Array.from({ length: channels }, (_, n) => `@c${n}\n`).join(''));
      const command = [
        'uploads',
        '--from',
        refs,
        '--output-dir',
        join(folder, `exports-${channels}`),
        '--update',
      ];
      // The first run has no exports to update; the second one sees each feed for the first time.
      run(folder, url, command.slice(0, -1));
      run(folder, url, command);
      const before = await requests();
      const { milliseconds, bytes } = run(folder, url, command);
      const cells = [
        `a night of ${channels.toLocaleString('en')} unchanged channels`,
        (await requests()) - before,
        `${(milliseconds / channels).toFixed(1)} ms`,
        `${(bytes / 1e6).toFixed(0)} MB`,
      ];
      console.log(`| ${cells.join(' | ')} |`);
    }
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the program to its end: processor time of the process, and its peak memory. */
function run(folder, url, command) {
  const peak = join(folder, 'peak');
  const usage = 'process.on("exit", () => console.error(JSON.stringify(process.cpuUsage())))';
  const preloads = ['-r', join(import.meta.dirname, 'peak.cjs'), '--import', `data:text/javascript,${usage}`];
  const program = join(import.meta.dirname, '../bin/chanlist.js');
  const { status, stderr } = spawnSync(process.execPath, [...preloads, program, ...command], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PEAK_FILE: peak,
      CHANLIST_BASE_URL: url,
      CHANLIST_API_KEY: 'sk_bench',
    },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const { user, system } = JSON.parse(stderr.trim().split('\n').at(-1));
  return { milliseconds: (user + system) / 1000, bytes: Number(readFileSync(peak, 'utf8')) };
}
