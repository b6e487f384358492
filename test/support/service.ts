import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type CommandOptions, command, runHere } from './command.ts';
import { listen } from './listen.ts';
import {
  type Line,
  type Result,
  type RunOptions,
  run,
  serviceEnvironment,
  temporaryFolder,
  wordsOf,
} from './program.ts';
import { reported } from './summary.ts';

type Seen = ReturnType<typeof seenOf>;

function seenOf({ method, url: rawUrl = '/', headers }: IncomingMessage) {
  const { pathname: path, searchParams: query } = new URL(rawUrl, 'http://service');
  return { method, path, query, rawUrl, headers };
}

/** A response of a scripted service: a status and a body, or a function that writes to the socket. */
export type Reply =
  | { status?: number; headers?: Record<string, string>; body?: unknown; text?: string | Uint8Array }
  | ((response: ServerResponse, socket: Socket) => void);

export type ScriptedService = Awaited<ReturnType<typeof scriptedService>>;

/** A real HTTP server on loopback whose responses a test decides; `reply` gets each request and its number from 0. */
export async function scriptedService(
  t: TestContext,
  reply: (request: Seen, number: number) => Reply | Promise<Reply>,
) {
  const seen: Seen[] = [];
  const arrivals = new EventEmitter();
  const server = createServer({ keepAlive: true }, async (request, response) => {
    const number = seen.push(seenOf(request)) - 1;
    arrivals.emit('request');
    const answer = await reply(seenOf(request), number);
    if (typeof answer === 'function') return answer(response, request.socket);
    const { status = 200, headers, body = {}, text = JSON.stringify(body) } = answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(text);
  });
  const url = await listen(t, server);
  const env = serviceEnvironment(url);
  const reports = await temporaryFolder(t);
  /** Runs the program against it: in this process, but as one of its own with `started`. */
  const runAgainst = (line: Line, options?: RunOptions): Promise<Result> => {
    const all = { ...options, env: { ...env, ...options?.env } };
    return options?.started === undefined ? runHere(line, all) : run(line, all);
  };
  return {
    url,
    seen,
    /** The requests, decoded: `channel/videos?channel=@a`. */
    requests: () => seen.map(({ rawUrl }) => decodeURIComponent(rawUrl.replace(/^.*\/api\/v2\/media\//, ''))),
    env,
    run: runAgainst,
    report: async (line: Line, options?: RunOptions) => {
      const path = join(reports, 'summary.json');
      const run = (words: Line): Promise<Result> => runAgainst(words, options);
      const result = await reported(wordsOf(line), path, run, () => null);
      const { summary } = result;
      assert.ok(summary !== null, 'there is no summary');
      return Object.assign(result, { summary });
    },
    /** Runs the program against it in this process, where waits take no time. */
    command: (line: Line, options?: CommandOptions) =>
      command(line, { ...options, env: { ...env, ...options?.env } }),
    /** Resolves once so many requests have arrived. */
    arrived: async (count: number) => {
      while (seen.length < count) await once(arrivals, 'request');
    },
  };
}

/** Entry number `n` of a made-up channel, with the nine specified fields. */
export function entry(n: number): Record<string, unknown> {
  return {
    videoId: `video${String(n).padStart(6, '0')}`,
    title: `Title ${n}`,
    channelId: 'UCtesttesttesttesttestte',
    channelTitle: 'Test',
    channelHandle: '@test',
    lengthText: '1:02',
    viewCountText: '3.2M views',
    thumbnails: [{ url: `https://img.example/${n}.jpg`, width: 120, height: 90 }],
    index: String(n),
  };
}

/** A page envelope of entries `from` to `to` (exclusive); `next` is its continuation token, null on the last page. */
export function page(from: number, to: number, next: string | null, total = to): Record<string, unknown> {
  return {
    results: Array.from({ length: to - from }, (_, i) => entry(from + i)),
    playlist_info: { title: 'Uploads', numVideos: String(total), ownerName: 'Test', viewCount: null },
    continuation_token: next,
    has_more: next !== null,
  };
}
