import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandText, environmentLine, shellQuote } from '../../src/text/command.ts';

test('a word for the shell of the platform', () => {
  for (const [word, posix, powerShell] of [
    ['out.ndjson', 'out.ndjson', 'out.ndjson'],
    ['@a', '@a', "'@a'"],
    ['a@b', 'a@b', 'a@b'],
    ['videoId,title', 'videoId,title', "'videoId,title'"],
    ['C:\\lists\\a', "'C:\\lists\\a'", 'C:\\lists\\a'],
    ['', "''", "''"],
    ['my file', "'my file'", "'my file'"],
    ['*$`(a;b)#', "'*$`(a;b)#'", "'*$`(a;b)#'"],
    ["it's", "'it'\\''s'", "'it''s'"],
    ['it\u2019s', "'it\u2019s'", "'it\u2019\u2019s'"],
  ] as const) {
    assert.equal(shellQuote(word, 'linux'), posix);
    assert.equal(shellQuote(word, 'win32'), powerShell);
  }
});

test('a variable for the shell of the platform', () => {
  assert.equal(environmentLine('KEY', "it's", 'darwin'), "export KEY='it'\\''s'");
  assert.equal(environmentLine('KEY', 'http://127.0.0.1:1', 'win32'), "$env:KEY = 'http://127.0.0.1:1'");
});

test('a path that begins with a hyphen is not taken for a flag', () => {
  const fix = { program: 'rm', operands: ['-d/.chanlist/a.run', '-'] };
  assert.equal(commandText(fix), 'rm ./-d/.chanlist/a.run -');
});
