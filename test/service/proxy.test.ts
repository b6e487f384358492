import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseProxy } from '../../src/service/proxy.ts';
import { isFailure } from '../support/failures.ts';

const parsed = (address: string, noProxy = ''): string | undefined =>
  parseProxy('HTTPS_PROXY', address, 'api.service.test', noProxy)?.href;

test('a proxy is an http or https address; without a scheme it is plain http', () => {
  assert.equal(parsed('http://proxy:3128'), 'http://proxy:3128/');
  assert.equal(parsed('https://a:b%2B@proxy'), 'https://a:b%2B@proxy/');
  assert.equal(parsed('a:b@127.0.0.1:9'), 'http://a:b@127.0.0.1:9/');
  for (const address of [
    'http://a:hunter2@',
    'ftp://a:hunter2@proxy',
    'http://a:hunter2%@proxy',
    'socks5h://127.0.0.1:9',
  ])
    assert.throws(
      () => parsed(address),
      (error: Error) =>
        isFailure(2, 'HTTPS_PROXY does not name an HTTP proxy')(error) && !error.message.includes('hunter'),
    );
});

test('NO_PROXY: a host, a domain that it is in, or *', () => {
  for (const name of [
    'api.service.test',
    'API.service.test',
    'service.test',
    '.test',
    '*.test',
    '*',
    'x, service.test',
  ])
    assert.equal(parsed('proxy', name), undefined, name);
  for (const name of ['', 'x', 'pi.service.test', 'xapi.service.test', 'service', 'api.service.test.x'])
    assert.equal(parsed('proxy', name), 'http://proxy/', name);
});
