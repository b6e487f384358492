import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../../src/service/address.ts';
import { openConnections } from '../../src/service/dispatcher.ts';

/** The proxy through which a service is reached with these variables; null: directly. */
async function proxyOf(env: Record<string, string>, address = 'https://api.service.test') {
  const { name, destroy } = await openConnections(parseAddress(address, 'x').baseUrl, 1, 1000, env);
  await destroy(new Error('the test has ended'));
  return name === address ? null : name.replace(`${address} through the proxy `, '');
}

test('a proxy is an http or https address; without a scheme it is plain http', async () => {
  assert.equal(await proxyOf({ HTTPS_PROXY: 'http://proxy:3128' }), 'proxy:3128');
  assert.equal(await proxyOf({ HTTPS_PROXY: ' https://a:b%2B@proxy ' }), 'proxy');
  assert.equal(await proxyOf({ HTTPS_PROXY: 'a:b@127.0.0.1:9' }), '127.0.0.1:9');
  for (const [address, what] of [
    ...['http://a:hunter2@', 'ftp://a:hunter2@proxy', 'http://a:hunter2%@proxy'].map(
      (address) => [address, 'not the address of an HTTP proxy'] as const,
    ),
    ...['socks', 'SOCKS4', 'socks4a', 'socks5', 'socks5h'].map(
      (scheme) => [`${scheme}://a:hunter2@127.0.0.1:9`, 'a SOCKS proxy, which is not supported'] as const,
    ),
  ])
    await assert.rejects(proxyOf({ HTTPS_PROXY: address }), { exit: 2, message: `HTTPS_PROXY is ${what}` });
});

test('NO_PROXY: a host, a domain that it is in, or *; with the port of the service or without one', async () => {
  const hosts = 'api.service.test API.service.test service.test .test *.test * service.test:443'.split(' ');
  for (const name of [...hosts, 'x, service.test'])
    assert.equal(await proxyOf({ HTTPS_PROXY: 'proxy', NO_PROXY: name }), null, name);
  for (const name of [
    '',
    'x',
    'pi.service.test',
    'xapi.service.test',
    'service',
    'api.service.test.x',
    'service.test:80',
  ])
    assert.equal(await proxyOf({ HTTPS_PROXY: 'proxy', no_proxy: name }), 'proxy', name);
});

test('the first variable that is set names the proxy of every origin but loopback', async () => {
  const socks = { ALL_PROXY: 'socks5://b:1', all_proxy: '' };
  for (const [env, proxy] of [
    [{}, null],
    [{ https_proxy: ' ' }, null],
    [{ https_proxy: '', HTTP_PROXY: 'a:1' }, 'a:1'],
    [{ ALL_PROXY: 'a:1' }, 'a:1'],
    [{ all_proxy: 'a:1', ALL_PROXY: 'b:1' }, 'a:1'],
    [{ HTTP_PROXY: 'a:1', ...socks }, 'a:1'],
    [{ HTTPS_PROXY: 'a:1', HTTP_PROXY: 'b:1', ...socks }, 'a:1'],
    [{ ...socks, NO_PROXY: 'api.service.test' }, null],
  ] as const)
    assert.equal(await proxyOf(env), proxy);
  assert.equal(await proxyOf(socks, 'http://localhost'), null);
  await assert.rejects(proxyOf(socks), { exit: 2 });
});
