import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExitCode, gravest } from '../../src/errors.ts';
import { failedAttempt } from '../../src/service/failures.ts';

const context = { at: 'https://a.test', now: 0, hide: (text: string) => text };
const coded = (code: string, message = ''): Error => Object.assign(new Error(message), { code });
const [busy, down, gone] = ['unavailable', 'unreachable', 'invalid_response'] as const;
const [reach, trust] = ['cannot reach https://a.test:', 'https://a.test cannot be trusted:'] as const;
const noAddress = Object.assign(new AggregateError([]), { code: 'EADDRNOTAVAIL' });

const rows: readonly (readonly [Error, sent: boolean, code: string, message: string, retried: boolean])[] = [
  [coded('ECONNREFUSED'), false, down, `${reach} connection refused`, true],
  [coded('ENOTFOUND'), false, down, `${reach} no such host`, true],
  [coded('EHOSTDOWN'), false, down, `${reach} host is down`, true],
  [coded('EWHATEVER', 'x'), false, down, `${reach} the connection failed (EWHATEVER)`, true],
  [noAddress, false, down, `${reach} address not available`, true],
  [coded('ENOBUFS'), false, down, `${reach} no buffer space available`, true],
  [coded('EMFILE'), false, down, `${reach} too many open files`, true],
  [coded('ERR_SSL_WRONG_VERSION_NUMBER'), false, down, `${reach} no TLS connection: handshake failed`, true],
  [coded('CERT_HAS_EXPIRED'), false, down, `${trust} its certificate is not valid (CERT_HAS_EXPIRED)`, false],
  [coded('CERT_REVOKED', 'x'), false, down, `${trust} its certificate is not valid (CERT_REVOKED)`, false],
  [coded('ECONNRESET'), true, busy, 'no complete response: connection reset', true],
  [coded('EWHATEVER', 'x'), true, busy, 'no complete response: the connection failed (EWHATEVER)', true],
  [coded('ERR_ASSERTION', 'x'), true, gone, 'the response is not valid HTTP', false],
];

test('errors of the transport: what they mean, in words that are never those of a library', () => {
  for (const [cause, sent, code, message, isRetryable] of rows) {
    const found = failedAttempt({ cause, sent, status: null, headers: {} }, context);
    const charge = sent ? 'possibly_charged' : 'none';
    assert.deepEqual(
      [found.failure.code, found.failure.message, found.isRetryable, found.charge],
      [code, message, isRetryable, charge],
    );
  }
});

test('408, 429, 500, 502, 503 and 504 are retried, no other status', () => {
  const retried = Array.from({ length: 500 }, (_, i) => i + 100).filter(
    (status) => failedAttempt({ status, headers: {}, body: Buffer.alloc(0) }, context).isRetryable,
  );
  assert.deepEqual(retried, [408, 429, 500, 502, 503, 504]);
});

test('a run ends with the gravest exit code of its failures, whatever their order', () => {
  const gravity: readonly ExitCode[] = [129, 130, 143, 1, 3, 4, 2, 8, 7, 6, 9, 10, 5, 11];
  for (const [at, exit] of gravity.entries()) assert.equal(gravest(gravity.slice(at).reverse()), exit);
  assert.equal(gravest([]), 0);
});
