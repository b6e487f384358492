import { type TestContext, type TestOptions, test as unlimited } from 'node:test';

export { describe, suite, type TestContext } from 'node:test';

type Work = (t: TestContext) => void | Promise<void>;

/** Milliseconds of a test that names no limit of its own; its subtests inherit it. */
const limit = process.env.CHANLIST_LONG === '1' ? 900_000 : 120_000;

/**
 * `test` of node:test with a default time limit: the bundle of the tests has it in the place of node:test, see
 * `scripts/test.mjs`. Node's own option `--test-timeout` limits whole files on Node 20 and tests on later versions.
 */
export function test(name: string, options: TestOptions | Work, work?: Work): Promise<void> {
  const [given, run] = typeof options === 'function' ? [{}, options] : [options, work];
  return unlimited(name, { timeout: limit, ...given }, run);
}
