import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localDay, monthOf, resetTime } from '../../src/accounts/local-time.ts';

type Case = readonly [zone: string, time: string, day: string, dayResets: string, monthResets: string];

const [newYork, berlin] = ['America/New_York', 'Europe/Berlin'];
const cases: readonly Case[] = [
  // The day of 23 hours.
  [newYork, '2026-03-08T05:00:00Z', '2026-03-08', '2026-03-09 00:00', '2026-04-01 00:00'],
  [newYork, '2026-03-09T04:00:00Z', '2026-03-09', '2026-03-10 00:00', '2026-04-01 00:00'],
  [berlin, '2026-03-29T21:59:59Z', '2026-03-29', '2026-03-30 00:00', '2026-04-01 00:00'],
  // The day of 25 hours, which in New York begins a month.
  [newYork, '2026-11-01T03:59:59Z', '2026-10-31', '2026-11-01 00:00', '2026-11-01 00:00'],
  [newYork, '2026-11-01T04:00:00Z', '2026-11-01', '2026-11-02 00:00', '2026-12-01 00:00'],
  [newYork, '2026-11-02T05:00:00Z', '2026-11-02', '2026-11-03 00:00', '2026-12-01 00:00'],
  [berlin, '2026-10-25T22:59:59Z', '2026-10-25', '2026-10-26 00:00', '2026-11-01 00:00'],
  // Ends of months, of a year and of a leap February.
  [berlin, '2026-03-31T22:00:00Z', '2026-04-01', '2026-04-02 00:00', '2026-05-01 00:00'],
  [newYork, '2027-01-01T04:59:59Z', '2026-12-31', '2027-01-01 00:00', '2027-01-01 00:00'],
  [berlin, '2028-02-28T23:00:00Z', '2028-02-29', '2028-03-01 00:00', '2028-03-01 00:00'],
  // A day without midnight.
  ['America/Sao_Paulo', '2018-11-03T12:00:00Z', '2018-11-03', '2018-11-04 00:00', '2018-12-01 00:00'],
];

test('days and months are those of the local calendar, also when the clocks change', () => {
  for (const [zone, time, ...expected] of cases) {
    process.env.TZ = zone;
    const at = Date.parse(time);
    const dates = [localDay(at), resetTime('day', at), resetTime('month', at)];
    assert.deepEqual(dates, expected, `${zone} ${time}`);
  }
  assert.equal(monthOf('2026-11-21'), '2026-11');
});
