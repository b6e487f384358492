import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Collected } from '../support/collect.ts';
import { type Example, exampleOf, examplesOf } from '../support/documents.ts';
import { missing, runCommand, type Workshop, workshop } from '../support/shell.ts';

type Env = Readonly<Record<string, string>>;

/** What an example needs that cannot be run unchanged, and what it prints on stderr. */
export interface Exception {
  /** What is run in its place; null if nothing needs to be. */
  readonly run?: (at: Workshop, t: TestContext) => Promise<Collected | null>;
  /** What it prints on stderr (default: nothing). */
  readonly stderr?: RegExp;
}

export function runExample({ language, text }: Example, { folder, env }: Workshop): Promise<Collected> {
  const options = { cwd: folder, env };
  if (language === 'python') return runCommand(['python3', '-'], { ...options, input: text });
  if (language === 'js') return runCommand(['node', '--input-type=module', '-'], { ...options, input: text });
  return runCommand(['bash', '-o', 'pipefail', '-c', text], options);
}

/** Runs the document's example that begins like this; returns its stdout. Its stderr must be empty. */
export async function recipe(file: string, at: Workshop, beginning: string): Promise<string> {
  const { exit, stdout, stderr } = await runExample(await exampleOf(file, beginning), at);
  assert.deepEqual([exit, stderr], [0, '']);
  return stdout;
}

const tools = ['jq', 'sqlite3', 'curl', 'split', 'less'];

const firstWords = (text: string): string => text.split(' ', 2).join(' ');

function toolsOf({ language, text }: Example): string[] {
  const used = tools.filter((tool) => new RegExp(`(?:^|\\| |&& |; )${tool} `, 'm').test(text));
  return language === 'python' ? ['python3', ...used] : used;
}

/**
 * A test that runs every example of a document, one after another in one workshop: each exits with 0 and prints nothing on
 * stderr, but for the exceptions, by the texts or first two words of their examples.
 */
export function testExamples(
  file: string,
  exceptions: Readonly<Record<string, Exception>>,
  prepare: (at: Workshop, t: TestContext) => Promise<Env> = async () => ({}),
): void {
  test(`every example of ${file} does what it says: exit 0, nothing on stderr`, async (t) => {
    const plain = await workshop(t);
    const env = { ...plain.env, ...(await prepare(plain, t)) };
    const sh: Workshop['sh'] = (line, options = {}) =>
      runCommand(['bash', '-o', 'pipefail', '-c', line], { cwd: plain.folder, env, ...options });
    const at = { ...plain, env, sh };
    const examples = await examplesOf(file);
    for (const example of examples) {
      await t.test(example.text, { skip: missing(...toolsOf(example)) }, async (t) => {
        const { run, stderr = /^$/ } = exceptions[example.text] ?? exceptions[firstWords(example.text)] ?? {};
        const result = await (run?.(at, t) ?? runExample(example, at));
        if (result === null) return;
        assert.equal(result.exit, 0, result.stderr);
        assert.match(result.stderr, stderr);
      });
    }
    const texts = examples.flatMap(({ text }) => [text, firstWords(text)]);
    for (const text of Object.keys(exceptions)) assert.ok(texts.includes(text), text);
  });
}
