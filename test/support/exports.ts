import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { SandboxSettings } from '../../src/sandbox/defaults.ts';
import { runHere } from './command.ts';
import {
  clockEnvironment,
  ended,
  type Line,
  type Result,
  serviceEnvironment,
  start,
  temporaryFolder,
  testKey,
  wordsOf,
} from './program.ts';
import type { ScriptedService } from './service.ts';
import { type Reported, reported } from './summary.ts';
import { startTestSandbox, type TestSandbox } from './test-sandbox.ts';

/** How a run ended, and what it cost by the service's own account. */
export interface Outcome extends Result, Reported {
  readonly charged: number;
}

export interface FixtureRunOptions {
  /** Called with the process once it runs. */
  readonly started?: (child: ChildProcess) => void;
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs the program, whose command line follows it. */
  readonly within?: readonly string[];
  /** What the clock shows, in milliseconds since 1970 (default: the time). */
  readonly now?: number;
  /** Address in place of the sandbox's. */
  readonly baseUrl?: string;
  /** Another service than the sandbox responds: there is no account to compare the summary with. */
  readonly unwatched?: boolean;
  readonly noSummary?: boolean;
}

/** A folder to export into and a service that keeps accounts. */
export interface ExportFixture {
  readonly folder: string;
  readonly sandbox: TestSandbox;
  /** The requests that the service got, one line per request. */
  readonly requests: string[];
  /** Called at each request, before its response. */
  onRequest: (line: string, number: number) => void;
  /**
   * Runs the program in the folder, with `--summary`, and compares that with the service's account: in this process,
   * but as one of its own with `started` or `within`.
   */
  run(line: Line, options?: FixtureRunOptions): Promise<Outcome>;
  /** All files in the folder, hidden ones too, but not `.chanlist`. */
  files(): Promise<string[]>;
  read(name: string): Promise<string>;
}

export interface ExportFixtureOptions extends Partial<SandboxSettings> {
  /** The service in place of the sandbox: there is no account to compare summaries with. */
  readonly service?: ScriptedService;
}

/** Opens a fixture with a sandbox: 10 entries per page, 1000 credits. */
export async function exportFixture(
  t: TestContext,
  { service, ...options }: ExportFixtureOptions = {},
): Promise<ExportFixture> {
  const folder = await temporaryFolder(t);
  const requests: string[] = [];
  let onRequest: ExportFixture['onRequest'] = () => {};
  const sandbox = await startTestSandbox({
    key: testKey,
    pageSize: 10,
    onRequest: (line) => {
      requests.push(line);
      onRequest(line, requests.length);
    },
    ...options,
  });
  t.after(() => sandbox.close());
  const reports = await temporaryFolder(t);
  let runs = 0;
  return {
    folder,
    sandbox,
    requests,
    get onRequest() {
      return onRequest;
    },
    set onRequest(hook) {
      onRequest = hook;
    },
    run: async (line, { started, env = {}, within, now, noSummary, ...others } = {}) => {
      const { baseUrl = service?.url ?? sandbox.baseUrl, unwatched = service !== undefined } = others;
      const before = sandbox.account.credits;
      const charged = (): number => before - sandbox.account.credits;
      const environment = { ...serviceEnvironment(baseUrl), ...env };
      const asProcess = async (words: Line): Promise<Result> => {
        const clock = now === undefined ? {} : clockEnvironment(now);
        const all = { env: { ...environment, ...clock }, cwd: folder };
        const child = start(words, { ...all, ...(within !== undefined && { within }) });
        child.stdin?.on('error', () => {});
        child.stdin?.end();
        started?.(child);
        return await ended(child);
      };
      const isProcess = started !== undefined || within !== undefined;
      const here = { env: environment, cwd: folder, ...(now !== undefined && { now }) };
      const run = async (words: Line): Promise<Result & { readonly charged: number }> => {
        const result = isProcess ? await asProcess(words) : await runHere(words, here);
        return { ...result, charged: charged() };
      };
      const report = noSummary ? null : join(reports, `${runs++}.json`);
      return await reported(wordsOf(line), report, run, () => (unwatched ? null : charged()));
    },
    files: () => exportsIn(folder),
    read: (name) => readFile(join(folder, name), 'utf8'),
  };
}

/** All files in a folder but `.chanlist`. */
export async function exportsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== '.chanlist').sort();
}

/** What an uninterrupted run writes, on stdout. */
export async function uninterrupted(fixture: ExportFixture, line: Line): Promise<string> {
  const { stdout, exit } = await fixture.run(line);
  assert.equal(exit, 0);
  return stdout;
}
