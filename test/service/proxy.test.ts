import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../../src/service/address.ts';
import { openConnections } from '../../src/service/dispatcher.ts';
import { parseProxy } from '../../src/service/proxy.ts';

const parsed = (address: string, noProxy = ''): string | undefined =>
  parseProxy('HTTPS_PROXY', address, 'api.service.test', noProxy)?.href;

test('a proxy is an http or https address; without a scheme it is plain http', () => {
  assert.equal(parsed('http://proxy:3128'), 'http://proxy:3128/');
  assert.equal(parsed('https://a:b%2B@proxy'), 'https://a:b%2B@proxy/');
  assert.equal(parsed('a:b@127.0.0.1:9'), 'http://a:b@127.0.0.1:9/');
  const invalid = 'HTTPS_PROXY is not the address of an HTTP proxy';
  for (const address of ['http://a:hunter2@', 'ftp://a:hunter2@proxy', 'http://a:hunter2%@proxy'])
    assert.throws(() => parsed(address), { exit: 2, message: invalid });
});

test('a SOCKS proxy is refused, whatever its version', () => {
  const message = 'HTTPS_PROXY is a SOCKS proxy, which is not supported';
  for (const scheme of ['socks', 'SOCKS4', 'socks4a', 'socks5', 'socks5h'])
    assert.throws(() => parsed(`${scheme}://a:hunter2@127.0.0.1:9`), { exit: 2, message });
});

test('NO_PROXY: a host, a domain that it is in, or *', () => {
  const hosts = 'api.service.test API.service.test service.test .test *.test *'.split(' ');
  for (const name of [...hosts, 'x, service.test']) assert.equal(parsed('proxy', name), undefined, name);
  for (const name of ['', 'x', 'pi.service.test', 'xapi.service.test', 'service', 'api.service.test.x'])
    assert.equal(parsed('proxy', name), 'http://proxy/', name);
});

test('the first variable that is set names the proxy of every origin but loopback', async () => {
  const socks = { ALL_PROXY: 'socks5://b:1', all_proxy: '' };
  for (const [env, address, proxy] of [
    [{}, 'https://api.test', null],
    [{ ALL_PROXY: 'a:1' }, 'https://api.test', 'a:1'],
    [{ all_proxy: 'a:1', ALL_PROXY: 'b:1' }, 'https://api.test', 'a:1'],
    [{ HTTP_PROXY: 'a:1', ...socks }, 'https://api.test', 'a:1'],
    [{ HTTPS_PROXY: 'a:1', HTTP_PROXY: 'b:1', ...socks }, 'https://api.test', 'a:1'],
    [{ ...socks, NO_PROXY: 'api.test' }, 'https://api.test', null],
    [socks, 'http://localhost', null],
  ] as const) {
    const { name, destroy } = await openConnections(parseAddress(address, 'x').baseUrl, 1, 1000, env);
    assert.equal(name, proxy === null ? address : `${address} through the proxy ${proxy}`);
    await destroy(new Error('the test has ended'));
  }
  const { baseUrl } = parseAddress('https://api.test', 'x');
  await assert.rejects(openConnections(baseUrl, 1, 1000, socks), { exit: 2 });
});
