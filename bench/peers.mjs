import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The peers on this machine that call the service once, and why others are not. */
export function startPeers(url, env) {
  const resolve = `${url}/api/v2/media/channel/resolve?input=@x`;
  const curl = ['curl', '-sf', '-H', 'authorization: Bearer sk_bench', resolve];
  const gh = ['gh', 'api', resolve];
  return sorted([
    { needs: ['curl'], what: 'curl, the same request', command: curl, env },
    { needs: ['gh'], what: 'gh api, the same request', command: gh, env: { ...env, GH_TOKEN: 'sk_bench' } },
  ]);
}

/** The peers that list pages; `least`: the ratio to chanlist that they should at least have. */
export function streamPeers(url, env, pages) {
  const script = join(import.meta.dirname, 'peers/curl-jq.sh');
  const shorter = (channel) => channel.replace(/\d+/, String(pages));
  const gh = (channel) => {
    const address = `${url}/api/v2/media/channel/videos?channel=${shorter(channel)}`;
    return ['gh', 'api', '--paginate', '--jq', '.results[]', address];
  };
  return sorted([
    {
      needs: ['curl', 'jq'],
      what: 'curl and jq in a loop',
      least: 20,
      pages,
      list: (channel) => ['sh', script, url, shorter(channel)],
      env,
    },
    {
      needs: ['gh'],
      what: 'gh api --paginate --jq',
      least: 2,
      pages,
      list: gh,
      env: { ...env, GH_TOKEN: 'sk_bench' },
    },
  ]);
}

function sorted(peers) {
  const missing = (peer) => peer.needs.filter((program) => spawnSync(program, ['--version']).error);
  return {
    there: peers.filter((peer) => missing(peer).length === 0),
    not: peers
      .filter((peer) => missing(peer).length > 0)
      .map((peer) => `${peer.what}: no ${missing(peer).join(', ')} here`),
  };
}
