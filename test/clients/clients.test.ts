/**
 * Programs that others write for a deployment, run against `chanlist serve` as processes: they share no code with
 * chanlist, name another path word than `media`, and read the address from the lines that `serve` prints.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import type { Collected } from '../support/collect.ts';
import { launcher, start, temporaryFolder } from '../support/program.ts';
import { missing, runCommand } from '../support/shell.ts';

/** Runs a shell script as a user who has pasted the ready lines of `serve`; everything after `exec` in `argv`. */
type Shell = (script: string, argv?: readonly string[]) => Promise<Collected>;

async function served(t: TestContext, ...flags: readonly string[]): Promise<Shell> {
  const server = start(['serve', '--port', '0', '--namespace', 'tube', '--key', 'sk_clients', ...flags]);
  const exited = once(server, 'exit');
  t.after(async () => {
    server.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  });
  assert.ok(server.stdout);
  const ready: string[] = [];
  for await (const line of createInterface(server.stdout)) {
    ready.push(line);
    if (ready.length === 4) break;
  }
  server.stdout.resume();
  const folder = await temporaryFolder(t);
  const env = { PATH: process.env.PATH ?? '', HOME: folder, READY: ready.join('\n') };
  return (script, argv = []) =>
    runCommand(['sh', '-c', `set -eu\neval "$READY"\n${script}`, 'sh', ...argv], { cwd: folder, env });
}

/** What a script printed; it must have ended with 0. */
async function output(result: Promise<Collected>): Promise<string> {
  const { exit, stdout, stderr } = await result;
  assert.equal(exit, 0, stderr);
  return stdout;
}

const skipCurl = missing('curl', 'jq');
const skipPython = missing('python3');

const curlLoop = `
api=$CHANLIST_BASE_URL/api/v2/$CHANLIST_NAMESPACE
page=$(curl -sS -G "$api/playlist/videos" -H "Authorization: Bearer $CHANLIST_API_KEY" -d playlist=PLdemo)
while :; do
  printf '%s' "$page" | jq -r '.results[].videoId'
  [ "$(printf '%s' "$page" | jq .has_more)" = true ] || break
  token=$(printf '%s' "$page" | jq -r .continuation_token)
  NEXT
done`;

for (const [title, flags, next] of [
  [
    'curl with --data-urlencode',
    [],
    'page=$(curl -sS -G "$api/playlist/videos" -H "Authorization: Bearer $CHANLIST_API_KEY" --data-urlencode "continuation=$token")',
  ],
  [
    'curl with --plain-tokens, the token pasted into the address as it is',
    ['--plain-tokens'],
    'page=$(curl -sS "$api/playlist/videos?continuation=$token" -H "Authorization: Bearer $CHANLIST_API_KEY")',
  ],
] as const) {
  test(`a loop of ${title} lists a playlist`, { skip: skipCurl }, async (t) => {
    const shell = await served(t, ...flags);
    const lines = (await output(shell(curlLoop.replace('NEXT', next)))).trimEnd().split('\n');
    assert.deepEqual([lines.length, new Set(lines).size], [321, 321]);
  });
}

test('one curl line per operation', { skip: skipCurl }, async (t) => {
  const shell = await served(t);
  const curl = (path: string, ...parameters: readonly string[]): Promise<string> =>
    output(
      shell(
        'path=$1; shift; exec curl -sSf -G "$CHANLIST_BASE_URL/api/v2/$CHANLIST_NAMESPACE/$path" ' +
          '-H "Authorization: Bearer $CHANLIST_API_KEY" "$@"',
        [path, ...parameters.flatMap((parameter) => ['--data-urlencode', parameter])],
      ),
    );
  const { channel_id } = JSON.parse(await curl('channel/resolve', 'input=https://video.example/@demo'));
  assert.match(channel_id, /^UC[\w-]{22}$/);
  assert.equal(
    JSON.parse(await curl('channel/search', 'channel=@demo', 'q=bread', 'limit=3')).result_count,
    3,
  );
  assert.equal(JSON.parse(await curl('channel/videos', `channel=${channel_id}`)).results.length, 100);
  assert.equal(JSON.parse(await curl('channel/latest', 'channel=@demo')).result_count, 15);
});

const pythonLoop = `
import datetime, json, os, urllib.parse, urllib.request

def get(path, **query):
    url = f"{os.environ['CHANLIST_BASE_URL']}/api/v2/tube/{path}?{urllib.parse.urlencode(query)}"
    key = os.environ['CHANLIST_API_KEY']
    request = urllib.request.Request(url, headers={'Authorization': f'Bearer {key}'})
    with urllib.request.urlopen(request) as response:
        return json.load(response)

page = get('channel/videos', channel='@odd')
entries = page['results']
while page['has_more']:
    page = get('channel/videos', continuation=page['continuation_token'])
    entries += page['results']
print(len(entries))
for entry in get('channel/latest', channel='@odd')['results']:
    datetime.datetime.strptime(entry['published'], '%Y-%m-%dT%H:%M:%SZ')
`;

test('a loop of Python with urllib lists @odd and parses the dates of its feed', {
  skip: skipPython,
}, async (t) => {
  const shell = await served(t);
  assert.equal(await output(shell('exec python3 -c "$1"', [pythonLoop])), '262\n');
});

test('a client with HTTP/1.0 and another User-Agent is served', { skip: skipCurl }, async (t) => {
  const shell = await served(t);
  const response = await output(
    shell(
      'exec curl -sS --http1.0 -A "$1" -H "Authorization: Bearer $CHANLIST_API_KEY" -w " %{http_code}" ' +
        '"$CHANLIST_BASE_URL/api/v2/tube/channel/resolve?input=@demo"',
      ['Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)'],
    ),
  );
  assert.match(response, /^\{"channel_id":"UC[\w-]{22}","resolved_from":"@demo"\} 200$/);
});

test('chanlist itself uses the lines that serve prints when it is ready', async (t) => {
  const shell = await served(t, '--plain-tokens');
  const lines = await output(shell('exec "$1" "$2" uploads @demo -f id', [process.execPath, launcher]));
  assert.equal(lines.trimEnd().split('\n').length, 1234);
});
