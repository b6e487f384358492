import { test } from 'node:test';
import { checkFault, type Fault, inBatches } from './fault.ts';

/** From the table of exit codes: status, exit code, word of the closed set. */
const statuses: readonly (readonly [status: number, exit: number, code: string])[] = [
  [201, 8, 'bad_answer'],
  [204, 8, 'bad_answer'],
  [206, 8, 'bad_answer'],
  [301, 8, 'bad_answer'],
  [304, 8, 'bad_answer'],
  [308, 8, 'bad_answer'],
  [400, 8, 'refused'],
  [401, 3, 'unauthorized'],
  [402, 4, 'no_credits'],
  [403, 3, 'unauthorized'],
  [404, 5, 'not_found'],
  [405, 8, 'refused'],
  [406, 8, 'refused'],
  [407, 8, 'refused'],
  [408, 7, 'unavailable'],
  [409, 8, 'refused'],
  [410, 8, 'refused'],
  [411, 8, 'refused'],
  [412, 8, 'refused'],
  [413, 8, 'refused'],
  [414, 8, 'refused'],
  [415, 8, 'refused'],
  [416, 8, 'refused'],
  [417, 8, 'refused'],
  [418, 8, 'refused'],
  [421, 8, 'refused'],
  [422, 8, 'refused'],
  [423, 8, 'refused'],
  [424, 8, 'refused'],
  [425, 8, 'refused'],
  [426, 8, 'refused'],
  [428, 8, 'refused'],
  [429, 6, 'rate_limited'],
  [431, 8, 'refused'],
  [451, 8, 'refused'],
  [499, 8, 'refused'],
  [500, 7, 'unavailable'],
  [501, 7, 'unavailable'],
  [502, 7, 'unavailable'],
  [503, 7, 'unavailable'],
  [504, 7, 'unavailable'],
  [505, 7, 'unavailable'],
  [507, 7, 'unavailable'],
  [511, 7, 'unavailable'],
  [599, 7, 'unavailable'],
  [999, 7, 'unavailable'],
];

/** Those that a service of this kind is known or likely to send. */
const likely = new Set([301, 400, 401, 402, 403, 404, 408, 410, 422, 429, 500, 502, 503, 504]);

test('every status that is not 200, before, in the middle and at the end of a listing: nothing is charged', async (t) => {
  const faults = statuses.map(
    ([status, exit, code]): Fault => ({
      name: `status ${status}`,
      reply: {
        status,
        text: status === 204 || status === 304 ? '' : '{"detail":"the reason"}',
      },
      exit,
      code,
      status,
      charge: 'none',
      everywhere: likely.has(status),
      said: new RegExp(status < 400 ? String(status) : `${status}: the reason`),
    }),
  );
  await inBatches(faults, (fault) => checkFault(t, fault));
});

test('a 403 without a JSON body comes from something in front of the service: 8, the key is not rejected', async (t) => {
  const html = { 'content-type': 'text/html' };
  const bodies: readonly (readonly [name: string, text: string, headers: Record<string, string>])[] = [
    ['HTML', '<html><title>403 Forbidden</title></html>', html],
    ['HTML that says it is JSON', '<html></html>', {}],
    ['nothing', '', {}],
    ['text', 'Forbidden', { 'content-type': 'text/plain' }],
  ];
  const faults = bodies.map(
    ([name, text, headers]): Fault => ({
      name: `403 with ${name}`,
      reply: { status: 403, text, headers },
      exit: 8,
      code: 'refused',
      status: 403,
      charge: 'none',
      said: /something in front of the service refused the request \(403\)/,
    }),
  );
  await inBatches(faults, (fault) => checkFault(t, fault));
});

test('a 403 with a JSON body of any type rejects the key', async (t) => {
  const faults = ['{"detail":"no"}', '"no"', 'null'].map(
    (text): Fault => ({
      name: text,
      reply: { status: 403, text, headers: { 'content-type': 'text/plain' } },
      exit: 3,
      code: 'unauthorized',
      status: 403,
      charge: 'none',
      said: /the key was rejected \(403/,
    }),
  );
  await inBatches(faults, (fault) => checkFault(t, fault));
});
