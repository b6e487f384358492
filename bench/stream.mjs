import { join } from 'node:path';
import { inTurn } from './measure.mjs';

/**
 * Time of a listing as NDJSON, as a multiple of a bare loop that throws the same pages away. `peers` are given the
 * pages that they list and the milliseconds that each takes.
 */
export async function measureStream({
  node,
  program,
  env,
  url,
  folder,
  pages,
  latency,
  targets,
  peers,
  runs,
}) {
  const channel = latency === 0 ? `@pages-${pages}` : `@pages-${pages}-${latency}ms`;
  const list = [node, program, 'uploads', channel];
  const script = (name) => [node, join(import.meta.dirname, `peers/${name}.mjs`), url, channel];
  const each = latency === 0 ? '' : `, ${latency} ms per page`;
  const name = (what) => `${what}: ${pages} pages${each}`;
  const file = join(folder, 'out.ndjson');
  const cases = [
    { what: 'bare loop', command: script('bare-loop'), env },
    { what: name('to a file'), target: targets.file, command: list, env, stdout: file },
    {
      what: name('to a pipe'),
      target: targets.pipe,
      command: ['sh', '-c', '"$@" | cat', 'sh', ...list],
      env,
      stdout: null,
    },
  ];
  const undici = { what: name('undici script'), command: script('undici-loop'), env, stdout: file };
  const [bare, ...rest] = await inTurn(peers.length > 0 ? [...cases, undici] : cases, runs);
  const rows = rest.map((row) => ({ ...row, of: bare.median }));
  const perPage = rest[0].median / pages;
  for (const peer of peers) {
    const [{ median }] = await inTurn([{ ...peer, command: peer.list(channel, peer.pages) }], 1);
    const what = `${peer.what}: times as long as chanlist`;
    rows.push({ what, least: peer.least, median, of: perPage * peer.pages });
  }
  return rows;
}
