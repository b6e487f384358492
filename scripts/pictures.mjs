/**
 * Draws the pictures of the README: `node scripts/pictures.mjs [folder]` (default: docs/pictures). Runs the built
 * program in tmux, against a sandbox, and turns what the terminal shows into SVG. Needs tmux and jq.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { drawing } from './terminal-svg.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, 'docs/pictures'));

/** What is typed, and what the terminal shows when it is taken. */
const pictures = [
  {
    name: 'table',
    title: 'A table of uploads at a terminal',
    columns: 92,
    lines: ['chanlist uploads @demo --limit 12'],
    until: /credit\n\$ *$/,
  },
  {
    name: 'progress',
    title: 'The progress line of an export',
    columns: 92,
    latency: 350,
    lines: ['chanlist uploads @demo --output demo.ndjson'],
    until: /page 5, .* left/,
  },
  {
    name: 'ndjson',
    title: 'Records piped through jq',
    columns: 92,
    lines: [
      'chanlist latest @demo -q --fields videoId,title | head -n 3',
      "chanlist uploads @demo -q --limit 100 | jq -r 'select(.lengthText | length > 5) | .title'",
    ],
    until: /\$ [^$]*\$ [^$]*\$ *$/,
  },
];

const work = await mkdtemp(join(tmpdir(), 'chanlist-pictures-'));
const socket = `chanlist-pictures-${process.pid}`;
const tmux = (...args) =>
  execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });

/** The sandbox, in a process of its own; resolves with its address. */
async function serve(latency) {
  const args = [join(root, 'bin/chanlist.js'), 'serve', '--port', '0', '--latency', String(latency)];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [ready] = await once(server.stdout, 'data');
  server.stdout.resume();
  return { url: /http:\/\/\S+/.exec(String(ready))[0], stop: () => server.kill('SIGINT') };
}

/** Polls the screen until it matches. */
async function screen(until) {
  for (let left = 300; ; left--) {
    const text = tmux('capture-pane', '-p', '-t', 'it').trimEnd();
    if (until.test(text)) return tmux('capture-pane', '-e', '-p', '-t', 'it').trimEnd();
    if (left === 0) throw new Error(`this never came: ${until}\n${text}`);
    await sleep(20);
  }
}

async function take({ name, title, columns, latency = 0, lines, until }) {
  const server = await serve(latency);
  const env = {
    PATH: `${work}/bin:${process.env.PATH}`,
    HOME: work,
    PS1: '$ ',
    LANG: 'C.UTF-8',
    CHANLIST_BASE_URL: server.url,
    CHANLIST_API_KEY: 'sk_sandbox',
  };
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  try {
    const shell = ['env', '-i', 'TERM=screen-256color', ...variables, 'sh'];
    tmux('new-session', '-d', '-s', 'it', '-x', String(columns), '-y', '40', '-c', work, ...shell);
    for (const [number, line] of lines.entries()) {
      await screen(new RegExp(`^(?:\\$ [^$]*){${number}}\\$ *$`));
      tmux('send-keys', '-t', 'it', '-l', line);
      tmux('send-keys', '-t', 'it', 'Enter');
    }
    await writeFile(join(folder, `${name}.svg`), drawing(await screen(until), { columns, title }));
  } finally {
    tmux('kill-server');
    server.stop();
  }
}

try {
  await mkdir(folder, { recursive: true });
  await mkdir(join(work, 'bin'));
  await symlink(process.execPath, join(work, 'bin/node'));
  const launcher = `#!/bin/sh\nexec node '${join(root, 'bin/chanlist.js')}' "$@"\n`;
  await writeFile(join(work, 'bin/chanlist'), launcher, { mode: 0o755 });
  for (const picture of pictures) await take(picture);
} finally {
  await rm(work, { recursive: true, force: true });
}
