import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBounds, parseBounds, resolveBounds } from '../../src/service/budget.ts';

const month = { credits: 3000, per: 'month' } as const;
const day = { credits: 200, per: 'day' } as const;
const call = { credits: 5, per: 'run' } as const;

test('bounds are numbers per run, day or month; they print as they are read', () => {
  assert.deepEqual(parseBounds('5', 'X'), [call]);
  assert.deepEqual(parseBounds('3000/month, 200/day,5', 'X'), [month, day, call]);
  assert.deepEqual(parseBounds('0/day', 'X'), [{ credits: 0, per: 'day' }]);
  assert.equal(formatBounds([month, day, call]), '3000/month,200/day,5');
  for (const text of [
    '',
    '5,',
    '-1',
    '1.5',
    '5/week',
    '5/ month',
    '5/MONTH',
    '1e3',
    '/day',
    '9007199254740993',
  ])
    assert.throws(() => parseBounds(text, 'CHANLIST_MAX_CREDITS'), {
      code: 'usage',
      message: `CHANLIST_MAX_CREDITS is '${text}': expected a whole number, N/day or N/month`,
    });
});

test('flag, environment, profile: the first that gives bounds gives all of them', () => {
  const env = { CHANLIST_MAX_CREDITS: '200/day' };
  assert.deepEqual(resolveBounds([call], env, [month]), [call]);
  assert.deepEqual(resolveBounds([], env, [month]), [day]);
  assert.deepEqual(resolveBounds([], { CHANLIST_MAX_CREDITS: '' }, [month]), [month]);
  assert.deepEqual(resolveBounds([], {}, []), []);
  assert.throws(() => resolveBounds([], { CHANLIST_MAX_CREDITS: 'x' }, []), { code: 'usage' });
});
