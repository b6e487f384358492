import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixOf } from '../../src/export/check/fix.ts';
import { contents, exportFile, finished, now, record, request } from './files.ts';

test('the fix of an export from the sandbox is a run on the sandbox, never one over the folder', () => {
  for (const [service, command] of [
    ['sandbox', 'chanlist uploads UCa -o UCa.ndjson --sandbox --update'],
    ['http://localhost media', 'chanlist uploads UCa -o UCa.ndjson --update'],
  ] as const) {
    const of = request({ service });
    const file = exportFile({
      target: { path: 'UCa.ndjson', real: '/UCa.ndjson', kind: 'file', stats: null, folder: null },
      record: record({ request: of, finished: finished() }),
      state: 'recorded',
      contents: contents(),
    });
    const fix = fixOf(file, of, now);
    assert.equal(fix?.command, command);
    assert.equal(fix?.folderFlags === null, service === 'sandbox');
  }
});
