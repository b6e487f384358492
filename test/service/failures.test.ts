import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExitCode, mostSevere } from '../../src/errors.ts';
import { checkAddressStep, failedAttempt } from '../../src/service/failures.ts';

const context = { serviceName: 'https://a.test', now: 0, isFeed: false, redact: (text: string) => text };
const coded = (code: string, message = ''): Error => Object.assign(new Error(message), { code });
const [busy, down, gone] = ['unavailable', 'unreachable', 'invalid_response'] as const;
const [reach, trust] = ['cannot reach https://a.test:', 'https://a.test cannot be trusted:'] as const;
const noAddress = Object.assign(new AggregateError([]), { code: 'EADDRNOTAVAIL' });

const lengths = coded('UND_ERR_RES_CONTENT_LENGTH_MISMATCH');
const wrongLength = 'the response is not as long as its Content-Length';
const rows: readonly (readonly [
  Error,
  sent: boolean,
  code: string,
  message: string,
  retried: boolean,
  status?: number,
])[] = [
  [coded('ECONNREFUSED'), false, down, `${reach} connection refused`, true],
  [coded('ENOTFOUND'), false, down, `${reach} no such host`, true],
  [coded('EWHATEVER', 'x'), false, down, `${reach} the connection failed (EWHATEVER)`, true],
  [noAddress, false, down, `${reach} address not available`, true],
  [coded('ERR_SSL_WRONG_VERSION_NUMBER'), false, down, `${reach} no TLS connection: handshake failed`, true],
  [coded('CERT_HAS_EXPIRED'), false, down, `${trust} its certificate is not valid (CERT_HAS_EXPIRED)`, false],
  [coded('ECONNRESET'), true, busy, 'no complete response: connection reset by peer', true],
  [coded('EWHATEVER', 'x'), true, busy, 'no complete response: the connection failed (EWHATEVER)', true],
  [coded('ERR_ASSERTION', 'x'), true, gone, 'the response is not valid HTTP', false],
  [lengths, true, gone, wrongLength, false],
  [new RangeError('no memory'), false, 'failed', 'the HTTP client failed: no memory', false],
  [new TypeError('x'), true, 'failed', 'the HTTP client failed: x', false],
  // After the headers, the body was cut short.
  [lengths, true, busy, `no complete response: ${wrongLength}`, true, 200],
];

test('errors of the transport: what they mean, in words that are never those of a library', () => {
  for (const [cause, sent, code, message, isRetryable, status = null] of rows) {
    const found = failedAttempt({ cause, sent, status, headers: {} }, context);
    const charge = sent ? 'possibly_charged' : 'free';
    assert.deepEqual(
      [found.failure.code, found.failure.message, found.isRetryable, found.charge],
      [code, message, isRetryable, charge],
    );
  }
});

const detail = Buffer.from('{"detail":"the  reason"}');
const html = Buffer.from('<html></html>');
const statuses: readonly (readonly [
  code: string,
  message: string,
  status: readonly number[],
  body?: Buffer,
])[] = [
  ['invalid_response', 'the service sent an unexpected status (N: https://b.test/)', [201, 204, 206]],
  [
    'invalid_response',
    'the service sent a redirect, which is not followed (N: https://b.test/)',
    [301, 304, 308],
  ],
  ['refused', 'the service refused the request (N: the reason)', [400, 405, 410, 413, 418, 422, 451, 499]],
  ['unauthorized', 'the key was rejected (N: the reason)', [401]],
  ['unauthorized', 'access was refused (N: the reason)', [403]],
  ['no_credits', 'no credits (N: the reason)', [402]],
  ['not_found', 'not found (N: the reason)', [404]],
  ['rate_limited', 'rate limited (N: the reason)', [429]],
  ['unavailable', 'the service is not available (N: the reason)', [408, 500, 501, 502, 503, 504, 599, 999]],
  ['not_found', 'not found (N)', [404], html],
  ['refused', 'something in front of the service refused the request (N)', [403], html],
  ['refused', 'something in front of the service refused the request (N)', [403], Buffer.alloc(0)],
  ['unavailable', 'the service is not available (N)', [502], html],
];

test('every status but 200 is free, and says where a redirect leads, or the words of the service', () => {
  const headers = { location: 'https://b.test/' };
  for (const [code, message, all, body = detail] of statuses)
    for (const status of all) {
      const { failure, charge, isRetryable } = failedAttempt({ status, headers, body }, context);
      assert.deepEqual(
        [failure.code, failure.message, charge],
        [code, message.replace('N', `${status}`), 'free'],
      );
      assert.equal(isRetryable, [408, 429, 500, 502, 503, 504].includes(status), `${status}`);
    }
});

test('the key in the words of the service, or in the target of a redirect, is hidden, also where it is cut', () => {
  const redact = (text: string): string => text.replaceAll('sk_secret', '[key]');
  for (const before of ['', 'x'.repeat(195)]) {
    const headers = { location: `${before}sk_secret` };
    const body = Buffer.from(JSON.stringify({ detail: `${before}sk_secret` }));
    for (const status of [302, 401, 422, 503]) {
      const { message } = failedAttempt({ status, headers, body }, { ...context, redact }).failure;
      assert.doesNotMatch(message, /sk_/);
      assert.match(message, /\[key/);
    }
  }
});

test('a 404 says what is missing, and asks to check the address only if it has no words of the service', () => {
  const feed = 'there is no such channel, or it has no feed';
  const resolve = 'use resolve to find out whether the channel exists, for free';
  for (const [isFeed, body, line] of [
    [false, detail, 'not found (404: the reason); check the spelling'],
    [true, detail, `${feed} (404: the reason); ${resolve}`],
    ...[Buffer.from('{}'), html, Buffer.alloc(0)].flatMap(
      (body) =>
        [
          [false, body, `not found (404); ${checkAddressStep}`],
          [true, body, `${feed} (404); ${checkAddressStep}`],
        ] as const,
    ),
  ] as const)
    assert.equal(
      failedAttempt({ status: 404, headers: {}, body }, { ...context, isFeed }).failure.line(),
      line,
    );
});

test('the detail of an error: a text, an object with a message, or a list of what is wrong where', () => {
  const details: readonly (readonly [body: unknown, words: string])[] = [
    [{ detail: 'a' }, '400: a'],
    [{ detail: { code: 'x', message: 'b' } }, '400: b'],
    [{ detail: [{ loc: ['query', 'q'], msg: 'c' }, { msg: 'd' }] }, '400: query.q: c; d'],
    [{ error: { message: 'e' } }, '400: e'],
    ['f', '400: f'],
    [{ detail: 7 }, '400'],
    [null, '400'],
  ];
  for (const [body, words] of details) {
    const outcome = { status: 400, headers: {}, body: Buffer.from(`\ufeff${JSON.stringify(body)}`) };
    assert.equal(
      failedAttempt(outcome, context).failure.message,
      `the service refused the request (${words})`,
    );
  }
});

test('a run ends with the most severe exit code of its failures, whatever their order', () => {
  const severityOrder: readonly ExitCode[] = [129, 130, 143, 1, 3, 4, 2, 8, 7, 6, 9, 10, 5, 11];
  for (const [at, exit] of severityOrder.entries())
    assert.equal(mostSevere(severityOrder.slice(at).reverse()), exit);
  assert.equal(mostSevere([]), 0);
});
