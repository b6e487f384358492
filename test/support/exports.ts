import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { SandboxOptions } from '../../src/sandbox/server.ts';
import { ended, type Result, start, temporaryFolder, testKey } from './program.ts';
import { type Receipt, type ReferenceReceipt, takeReceipt } from './receipt.ts';
import { startTestSandbox, type TestSandbox } from './test-sandbox.ts';

/** How a run ended, and what it cost by the service's own account. */
export interface Outcome extends Result {
  readonly charged: number;
  /** Null without one. */
  readonly summary: Receipt | null;
  /** The only reference of the summary. */
  readonly only: ReferenceReceipt;
}

export interface FixtureRunOptions {
  readonly started?: (child: ChildProcess) => void;
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs the program, whose command line follows it. */
  readonly within?: readonly string[];
  /** Address in place of the sandbox's. */
  readonly baseUrl?: string;
  /** Another service than the sandbox answers: there is no account to hold the summary against. */
  readonly unwatched?: boolean;
  readonly noSummary?: boolean;
  /** `started` writes to stdin, and ends it. */
  readonly keepStdin?: boolean;
}

/** A folder to export into and a service that keeps accounts. */
export interface ExportFixture {
  readonly folder: string;
  readonly sandbox: TestSandbox;
  /** The requests that the service got, one line per request. */
  readonly requests: string[];
  /** Called at each request, before it is answered. */
  onRequest: (line: string, number: number) => void;
  /** Runs the program in the folder, with `--summary`, and holds that against the service's account. */
  run(args: readonly string[], options?: FixtureRunOptions): Promise<Outcome>;
  /** All files in the folder, hidden ones too, but not `.chanlist`. */
  files(): Promise<string[]>;
  read(name: string): Promise<string>;
}

/** Opens a fixture with a sandbox: 10 entries per page, 1000 credits. */
export async function exportFixture(t: TestContext, options: SandboxOptions = {}): Promise<ExportFixture> {
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
    run: async (args, { started, env = {}, within = [], baseUrl, unwatched, noSummary, keepStdin } = {}) => {
      const report = join(reports, `${runs++}.json`);
      const before = sandbox.account.credits;
      const words = noSummary ? args : [...args, '--summary', report];
      const service = { CHANLIST_BASE_URL: baseUrl ?? sandbox.baseUrl, CHANLIST_API_KEY: testKey };
      const child = start(words, { env: { ...service, ...env }, cwd: folder, within });
      child.stdin?.on('error', () => {});
      if (!keepStdin) child.stdin?.end();
      started?.(child);
      const result = await ended(child);
      const charged = before - sandbox.account.credits;
      const summary = await takeReceipt(report);
      // A usage error and --dry-run need not have one.
      const isDue = !noSummary && result.signal === null && result.exit !== 2 && !args.includes('--dry-run');
      assert.ok(!isDue || summary !== null, 'there is no summary');
      if (summary !== null && result.signal !== 'SIGKILL') {
        const { confirmed, possibly_charged: possibly } = summary.credits;
        assert.ok(
          unwatched || (confirmed <= charged && charged <= confirmed + possibly),
          `the summary says ${confirmed} + ${possibly}, the service ${charged}`,
        );
        assert.equal(summary.exit, result.exit);
      }
      return {
        ...result,
        charged,
        summary,
        get only() {
          assert.equal(summary?.references.length, 1);
          const [only] = summary.references;
          assert.ok(only);
          return only;
        },
      };
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
export async function uninterrupted(fixture: ExportFixture, args: readonly string[]): Promise<string> {
  const { stdout, exit } = await fixture.run(args);
  assert.equal(exit, 0);
  return stdout;
}
