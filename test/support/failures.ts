import assert from 'node:assert/strict';
import { Failure } from '../../src/errors.ts';

/** Whether an error is a failure with an exit code and these words in its message or next step: for `assert.throws`. */
export const isFailure =
  (exit: number, ...words: string[]) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.exit, exit, error.line());
    for (const word of words) assert.ok(error.line().includes(word), error.line());
    return true;
  };
