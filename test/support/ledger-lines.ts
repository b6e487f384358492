import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';

/** Deletes the lines of a damaged ledger that a message names, as its next step says. */
export function deleteNamedLines(message: string, file: string): void {
  const [, named] = /lines? ([\d, ]+) cannot be read/.exec(message) ?? assert.fail(message);
  assert.match(message, /restore it from a backup, or delete what cannot be read/);
  const bad = new Set(String(named).split(', ').map(Number));
  const lines = readFileSync(file, 'latin1').split('\n');
  writeFileSync(file, lines.filter((_, at) => !bad.has(at + 1)).join('\n'), 'latin1');
}
