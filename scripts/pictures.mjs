/**
 * Draws the pictures of the README: `node scripts/pictures.mjs [folder]` (default: docs/pictures). Runs the built
 * program in tmux against a sandbox, and turns the screen of the terminal into SVG. Needs tmux and jq.
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

/** The commands that each picture shows; it is taken after the last one. */
const pictures = [
  {
    name: 'table',
    title: 'A table of uploads at a terminal',
    lines: ['chanlist uploads @demo --limit 12'],
  },
  {
    name: 'resume',
    title: 'An export that stops at its budget, and is resumed without paying twice',
    lines: [
      'chanlist uploads @demo -o demo.ndjson --max-credits 5',
      'chanlist uploads @demo -o demo.ndjson',
      'wc -l demo.ndjson',
      'chanlist credits',
    ],
  },
  {
    name: 'jq',
    title: 'NDJSON piped through jq',
    lines: [
      // With -s jq prints at the end, after the tally: the order is always the same.
      "chanlist uploads @demo --fields _seconds,title | jq -sc 'sort_by(._seconds) | .[-4:][]'",
      "chanlist latest @demo | jq -s '.[0] | {id: .videoId, published, views: .viewCount}'",
    ],
  },
];
const columns = 92;

const work = await mkdtemp(join(tmpdir(), 'chanlist-pictures-'));
const socket = `chanlist-pictures-${process.pid}`;
const tmux = (...args) =>
  execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });

/** Starts the sandbox as a process; returns its address. */
async function serve() {
  const args = [join(root, 'bin/chanlist.js'), 'serve', '--port', '0'];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [ready] = await once(server.stdout, 'data');
  server.stdout.resume();
  return { url: /http:\/\/\S+/.exec(String(ready))[0], stop: () => server.kill('SIGINT') };
}

/** Polls the screen until its plain text matches; returns it with its colours. */
async function screen(until) {
  for (let left = 500; ; left--) {
    const text = tmux('capture-pane', '-p', '-t', 'it').trimEnd();
    if (until.test(text)) return tmux('capture-pane', '-e', '-p', '-t', 'it').trimEnd();
    if (left === 0) throw new Error(`the screen never matched ${until}\n${text}`);
    await sleep(20);
  }
}

/** Matches a screen whose prompt has come back after so many commands. */
const prompt = (commands) => new RegExp(`^(?:\\$ [^]*\\n){${commands}}\\$ *$`);

async function take({ name, title, lines }) {
  const server = await serve();
  const home = join(work, name);
  await mkdir(home);
  const env = {
    PATH: `${work}/bin:${process.env.PATH}`,
    HOME: home,
    PS1: '\u001b[1;32m$\u001b[0m ',
    LANG: 'C.UTF-8',
    CHANLIST_BASE_URL: server.url,
    CHANLIST_API_KEY: 'sk_sandbox',
  };
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  try {
    const shell = ['env', '-i', 'TERM=screen-256color', ...variables, 'sh'];
    tmux('new-session', '-d', '-s', 'it', '-x', String(columns), '-y', '40', '-c', home, ...shell);
    for (const [number, line] of lines.entries()) {
      await screen(prompt(number));
      tmux('send-keys', '-t', 'it', '-l', line);
      tmux('send-keys', '-t', 'it', 'Enter');
    }
    const shown = await screen(prompt(lines.length));
    const lastLine = shown.lastIndexOf('\n');
    await writeFile(join(folder, `${name}.svg`), drawing(shown.slice(0, lastLine), { columns, title }));
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
