import { test } from 'node:test';
import { checkFault, type Fault, inBatches } from './fault.ts';

/** From the table of exit codes: exit code, word of the closed set, statuses. */
const codes: readonly (readonly [exit: number, code: string, statuses: readonly number[]])[] = [
  [8, 'invalid_response', [201, 204, 206, 301, 304, 308]],
  [
    8,
    'refused',
    [
      400, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 424, 425, 426, 428,
      431, 451, 499,
    ],
  ],
  [3, 'unauthorized', [401, 403]],
  [4, 'no_credits', [402]],
  [5, 'not_found', [404]],
  [7, 'unavailable', [408, 500, 501, 502, 503, 504, 505, 507, 511, 599, 999]],
  [6, 'rate_limited', [429]],
];

/** Those that a service of this kind is known or likely to send. */
const likely = new Set([301, 400, 401, 402, 403, 404, 408, 410, 422, 429, 500, 502, 503, 504]);

test('every status that is not 200, before, in the middle and at the end of a listing: nothing is charged', async (t) => {
  const faults = codes.flatMap(([exit, code, all]) =>
    all.map(
      (status): Fault => ({
        ...{ name: `status ${status}`, exit, code, status, charge: 'none', everywhere: likely.has(status) },
        reply: { status, text: status === 204 || status === 304 ? '' : '{"detail":"the reason"}' },
        said: new RegExp(status < 400 ? String(status) : `${status}: the reason`),
      }),
    ),
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
      ...{ name: `403 with ${name}`, exit: 8, code: 'refused', status: 403, charge: 'none' },
      reply: { status: 403, text, headers },
      said: /something in front of the service refused the request \(403\)/,
    }),
  );
  await inBatches(faults, (fault) => checkFault(t, fault));
});
