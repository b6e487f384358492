import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Failure } from '../../src/errors.ts';
import { type BaseUrl, parseAddress, parseNamespace } from '../../src/service/address.ts';
import { isFailure } from '../support/failures.ts';

const parseBaseUrl = (text: string, source: string): BaseUrl => parseAddress(text, source).baseUrl;

const good: [text: string, href: string, origin: string, loopback: boolean][] = [
  ['https://api.example.com/', 'https://api.example.com', 'https://api.example.com', false],
  ['https://api.example.com/v1/x//', 'https://api.example.com/v1/x', 'https://api.example.com', false],
  ['  HTTPS://API.Example.COM:443/A ', 'https://api.example.com/A', 'https://api.example.com', false],
  ['https://api.example.com:8443', 'https://api.example.com:8443', 'https://api.example.com:8443', false],
  ['https://api.example.com/@team', 'https://api.example.com/@team', 'https://api.example.com', false],
  ['http://LOCALHOST:8787', 'http://localhost:8787', 'http://localhost:8787', true],
  ['http://127.1:80', 'http://127.0.0.1', 'http://127.0.0.1', true],
  ['http://127.255.3.4', 'http://127.255.3.4', 'http://127.255.3.4', true],
  ['http://[::1]:8787/', 'http://[::1]:8787', 'http://[::1]:8787', true],
  ['https://128.0.0.1', 'https://128.0.0.1', 'https://128.0.0.1', false],
  // A missing scheme is completed.
  ['api.example.com', 'https://api.example.com', 'https://api.example.com', false],
  [' api.example.com/x ', 'https://api.example.com/x', 'https://api.example.com', false],
  ['server:8443', 'https://server:8443', 'https://server:8443', false],
  ['192.168.0.1', 'https://192.168.0.1', 'https://192.168.0.1', false],
  ['bücher.example', 'https://xn--bcher-kva.example', 'https://xn--bcher-kva.example', false],
  ['localhost.example.com', 'https://localhost.example.com', 'https://localhost.example.com', false],
  ['localhost', 'http://localhost', 'http://localhost', true],
  ['localhost:8787', 'http://localhost:8787', 'http://localhost:8787', true],
  ['LOCALHOST:1/x', 'http://localhost:1/x', 'http://localhost:1', true],
  ['127.0.0.1:8787', 'http://127.0.0.1:8787', 'http://127.0.0.1:8787', true],
  ['[::1]', 'http://[::1]', 'http://[::1]', true],
];

test('an address', () => {
  for (const [text, href, origin, loopback] of good)
    assert.deepEqual(parseBaseUrl(text, '--base-url'), { href, origin, loopback });
});

const notHttp = [
  ...['', '/api', 'ftp://api.example.com', 'user:1@api.example.com', 'one word', 'sk_live_0123456789'],
];
const notPlain = [
  ...['https:api.example.com', 'https:///api.example.com', 'https:\\\\api.example.com', 'https://[::1'],
  ...['https://api.example.com\\x', 'https://api.exa\tmple.com', 'https://api.example.com:99999'],
];
const withMore = [
  ...['https://user:secret@api.example.com', 'https://@api.example.com', 'https://api.example.com?'],
  ...['https://api.example.com/?key=secret', 'https://api.example.com/#secret'],
];
const plainHttp = [
  ...['api.example.com', 'localhost.evil.com', '127.0.0.1.evil.com', 'localhost.', 'evil.com/localhost'],
  ...['126.0.0.1', '0.0.0.0', '192.168.0.1', '[::2]', '[::ffff:127.0.0.1]', '127.0.0.1.nip.io:8787'],
];

test('anything else is a usage error that names the setting and shows no secret', () => {
  for (const text of ['"https://api.example.com"', "'localhost:8787'"])
    assert.throws(
      () => parseBaseUrl(text, '--base-url'),
      isFailure(2, '--base-url: the address has quotes around it; remove'),
    );
  for (const text of [...notHttp, ...notPlain, ...withMore])
    assert.throws(
      () => parseBaseUrl(text, '--base-url'),
      (error: Failure) => isFailure(2, '--base-url: ', 'https://')(error) && !error.line().includes('secret'),
    );
  for (const host of plainHttp)
    assert.throws(
      () => parseBaseUrl(`http://${host}`, 'CHANLIST_BASE_URL'),
      isFailure(2, 'CHANLIST_BASE_URL: ', 'plain http', 'use https://'),
    );
});

test('the namespace: one segment that needs no escaping', () => {
  for (const word of ['media', 'a', 'A-Z_0.9~', '...', '.a']) assert.equal(parseNamespace(word, 'x'), word);
  for (const word of ['', '.', '..', 'a/b', '/', 'a b', 'a?b', 'a#b', '%2e', 'ä', 'a\n', '\\'])
    assert.throws(() => parseNamespace(word, '--namespace'), isFailure(2, '--namespace: '));
});

const suffixes: [text: string, href: string, namespace: string | null][] = [
  ['https://api.example.com/api/v2', 'https://api.example.com', null],
  ['https://api.example.com/api/v2/', 'https://api.example.com', null],
  ['https://api.example.com/api/v2/word/', 'https://api.example.com', 'word'],
  ['https://api.example.com/p/api/v2/w-o_r~d.1', 'https://api.example.com/p', 'w-o_r~d.1'],
  ['http://localhost:8787/api/v2/media', 'http://localhost:8787', 'media'],
  ['https://api/v2', 'https://api/v2', null],
  ['https://api.example.com/api/v2x', 'https://api.example.com/api/v2x', null],
  ['https://api.example.com/xapi/v2', 'https://api.example.com/xapi/v2', null],
  ['https://api.example.com/api/v2/a/b', 'https://api.example.com/api/v2/a/b', null],
  ['https://api.example.com/api/v2/a%20b', 'https://api.example.com/api/v2/a%20b', null],
];

test('a trailing /api/v2 or /api/v2/WORD is stripped', () => {
  for (const [text, href, namespace] of suffixes) {
    const address = parseAddress(text, '--base-url');
    assert.deepEqual([address.baseUrl.href, address.namespace], [href, namespace]);
  }
});
