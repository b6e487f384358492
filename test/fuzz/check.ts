import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assertHarmless } from '../program/faults/harmless.ts';
import { command } from '../support/command.ts';
import { parseCsv } from '../support/csv.ts';
import { testKey } from '../support/program.ts';
import { latestFields, searchFields, specifiedFields } from '../support/specified-fields.ts';
import type { Case } from './cases.ts';
import { type Expected, expected, Undecided } from './model.ts';

/** A local service that sends the responses of each case: the first word of the path is the case's number. */
export interface FuzzService {
  /** Runs the program on a case and compares all of its output with the model; throws where they differ. */
  check(given: Case): Promise<void>;
  close(): void;
}

export async function fuzzService(): Promise<FuzzService> {
  const open = new Map<string, { given: Case; requests: number }>();
  let count = 0;
  const server = createServer((request, response) => {
    const found = open.get(request.url?.split('/')[1] ?? '');
    const planned = found?.given.responses[found.requests++];
    const { status, body } = planned ?? { status: 404, body: Buffer.alloc(0) };
    response.writeHead(status, status === 204 ? {} : { 'content-length': body.length });
    response.end(status === 204 ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    check: async (given) => {
      const number = String(count++);
      open.set(number, { given, requests: 0 });
      try {
        await check(given, `http://127.0.0.1:${port}/${number}`);
      } finally {
        open.delete(number);
      }
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function argumentsOf({ command: name, format, limit, maxCredits }: Case): string[] {
  const words = { uploads: ['@a'], playlist: ['PLx'], search: ['@a', 'x'], latest: ['@a'], resolve: ['@a'] }[
    name
  ];
  const args = [name, ...words, '-f', format, '--retries', '0'];
  if (limit !== null) args.push('-n', String(limit));
  if (maxCredits !== null) args.push('--max-credits', String(maxCredits));
  return args;
}

async function check(given: Case, url: string): Promise<void> {
  let want: Expected;
  try {
    want = expected(given);
  } catch (error) {
    if (error instanceof Undecided) return;
    throw error;
  }
  const env = { CHANLIST_BASE_URL: url, CHANLIST_API_KEY: testKey };
  const { exit, stdout, stderr } = await command(argumentsOf(given), { env });
  assert.equal(exit, want.exit, stderr);
  checkTalk(given, want, stderr);
  switch (given.format) {
    case 'ndjson':
      return checkNdjson(want, stdout);
    case 'json':
      return checkJson(given, want, stdout);
    case 'csv':
      return checkCsv(given, want, stdout);
    case 'id':
      return checkId(given, want, stdout);
    case 'table':
      return checkTable(want, stdout);
  }
}

function checkTalk({ command: name, format }: Case, { code, credits }: Expected, stderr: string): void {
  assertHarmless(stderr, 'stderr');
  // What a format has left out.
  const others = stderr.replace(new RegExp(`^chanlist: warning: ${format}: left out [^\\n]*\\n`, 'm'), '');
  if (code === null) {
    assert.equal(others, '');
    return;
  }
  assert.match(others, /^chanlist: error: (?:(?:@a|PLx): )?[^\n]*\n$/);
  if (name === 'latest' || name === 'resolve') return;
  assert.match(`${others.trimEnd()};`, new RegExp(`; ${credits} credits? spent;`));
}

const jsonSafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function checkNdjson({ entries }: Expected, stdout: string): void {
  assert.doesNotMatch(stdout, jsonSafe);
  const lines = stdout.split('\n');
  assert.equal(lines.pop(), '');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    entries,
  );
}

function checkJson({ command: name }: Case, { document, code, status }: Expected, stdout: string): void {
  assert.doesNotMatch(stdout, jsonSafe);
  assert.ok(stdout.endsWith('\n') && stdout.indexOf('\n') === stdout.length - 1);
  const value = JSON.parse(stdout);
  if (code === null) {
    assert.deepEqual(value, document);
    return;
  }
  const { error, ...rest } = value;
  assert.equal(typeof error.message, 'string');
  assert.deepEqual(error, { code, status, message: error.message });
  assert.deepEqual(rest, document, name);
}

/** A value as a cell of text is: a string's characters, nothing for null, otherwise JSON. */
function assertCell(cell: string, value: unknown): void {
  if (typeof value === 'string') assert.equal(cell, value.toWellFormed());
  else if (value === undefined || value === null) assert.equal(cell, '');
  else assert.deepEqual(JSON.parse(cell), value);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The columns that come first, also if there are no entries. */
const firstColumns = {
  resolve: ['channel_id', 'resolved_from'],
  uploads: specifiedFields,
  playlist: specifiedFields,
  search: searchFields,
  latest: latestFields,
} as const;

function checkCsv({ command: name }: Case, { entries }: Expected, stdout: string): void {
  const [header = [], ...rows] = parseCsv(stdout);
  const first = firstColumns[name];
  assert.deepEqual(header.slice(0, first.length), first);
  const keys = entries.flatMap((each) => (isObject(each) ? Object.keys(each) : ['value']));
  const sent = new Set(keys.map((key) => key.toWellFormed()));
  for (const key of header.slice(first.length)) assert.ok(sent.has(key), key);
  // Two names may be the same text once written.
  if (new Set(header).size < header.length) return;
  assert.equal(rows.length, entries.length);
  for (const [n, row] of rows.entries()) {
    const value = entries[n];
    // A column may be an index of a record that is an array.
    const plain = isObject(value) ? value : { ...(Array.isArray(value) ? value : []), value };
    const byName = new Map(Object.entries(plain).map(([key, each]) => [key.toWellFormed(), each]));
    assert.equal(row.length, header.length);
    for (const [i, key] of header.entries()) assertCell(row[i] ?? '', byName.get(key));
  }
}

function checkId({ command: name }: Case, { entries }: Expected, stdout: string): void {
  const key = name === 'resolve' ? 'channel_id' : 'videoId';
  const ids = entries.flatMap((each) => {
    const id = isObject(each) && Object.hasOwn(each, key) ? each[key] : null;
    return id === null || id === '' ? [] : [id];
  });
  const lines = stdout === '' ? [] : stdout.replace(/\n$/, '').split('\n');
  assert.equal(lines.length, ids.length);
  for (const [i, line] of lines.entries()) {
    const id = ids[i];
    if (typeof id === 'string') assert.equal(line, id.toWellFormed().replace(/[\0\t\r\n]+/g, ' '));
    else assert.deepEqual(JSON.parse(line), id);
  }
}

function checkTable({ entries, code }: Expected, stdout: string): void {
  assertHarmless(stdout, 'stdout');
  const lines = stdout.split('\n');
  assert.equal(lines.pop(), '');
  if (entries.length > 0) assert.equal(lines.length, entries.length + 2);
  else assert.equal(lines.length, code === null ? 2 : 0);
}
