import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

test('the fake clock shows the time that it is given, and runs', () => {
  const script =
    'const d = new Date(); const s = Date.now(); const { uptime } = process; const u = uptime();' +
    'while (uptime() - u < 0.02); console.log(JSON.stringify([d, new Date(0), new Date(2026, 0), ' +
    'd instanceof Date, Date.now() - s >= 19, Date.UTC(1970, 0), Date().slice(11, 15)]))';
  const text = execFileSync(process.execPath, ['--require', './test/support/fake-clock.cjs', '-e', script], {
    env: { CHANLIST_TEST_NOW: '2031-05-06T07:08:09Z', TZ: 'UTC' },
    encoding: 'utf8',
  });
  const [shown, ...rest] = JSON.parse(text);
  assert.match(shown, /^2031-05-06T07:08:(?:09|1\d)\.\d{3}Z$/);
  assert.deepEqual(rest, ['1970-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', true, true, 0, '2031']);
});
