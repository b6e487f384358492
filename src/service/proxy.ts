/** Tunnels through an HTTP proxy. undici's own agent would reconnect endlessly to a proxy that closes CONNECT. */
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import tls from 'node:tls';
import type { buildConnector } from 'undici';
import type { Env } from '../context.ts';
import { usage } from '../errors.ts';
import { describeError } from './failures.ts';
import { TransportError } from './http.ts';

/** Returns a tunnel through the proxy in a variable, or null if NO_PROXY excludes the origin. A wrong address is a usage error. */
export function openTunnel(variable: string, origin: string, env: Env) {
  const { hostname, port } = new URL(origin);
  const portSuffix = `:${port || 443}`;
  const exceptions = (env.no_proxy || env.NO_PROXY || '').toLowerCase().split(/[\s,]+/);
  const isDirect = (name: string): boolean => {
    const host = name.endsWith(portSuffix) ? name.slice(0, -portSuffix.length) : name;
    return host === '*' || `.${hostname}`.endsWith(`.${host.replace(/^\*?\./, '')}`);
  };
  if (exceptions.some(isDirect)) return null;
  return tunnelThrough(parseProxy(variable, env[variable]?.trim() ?? ''));
}

/** Throws a usage error for anything but the address of an HTTP proxy. */
function parseProxy(variable: string, address: string): URL {
  try {
    // An address without a scheme means plain http, as for curl.
    const proxy = new URL(/^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(address) ? address : `http://${address}`);
    // Invalid escapes in user name and password throw here, not at the first request.
    authorization(proxy);
    if (proxy.protocol === 'http:' || proxy.protocol === 'https:') return proxy;
  } catch {}
  // The address may contain a password: it is not shown.
  const what = /^socks/i.test(address)
    ? 'a SOCKS proxy, which is not supported'
    : 'not the address of an HTTP proxy';
  throw usage(`${variable} is ${what}`, 'give an HTTP proxy, e.g. http://proxy:3128');
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}

function tunnelThrough(proxy: URL) {
  const isSecure = proxy.protocol === 'https:';
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const attempts = new Set<(error: Error) => void>();
  const connect: buildConnector.connector = ({ hostname, port, servername }, callback) => {
    const target = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port || 443}`;
    const options: https.RequestOptions = {
      host,
      // By default Node would derive the name from the Host header, which is not the proxy's.
      servername: isIP(host) === 0 ? host : '',
      port: proxy.port,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...authorization(proxy) },
      agent: false,
    };
    const request = (isSecure ? https : http).request(options);
    let tunnel: tls.TLSSocket | null = null;
    const fail = (error: Error): void => {
      if (!attempts.delete(fail)) return;
      const isProxy = tunnel === null && !(error instanceof TransportError && error.code !== 'TIMEOUT');
      const reason = `the proxy cannot be reached: ${describeError(error)}`;
      callback(isProxy ? new TransportError('PROXY', reason, error) : error, null);
      (tunnel ?? request).destroy();
    };
    attempts.add(fail);
    request.on('error', fail);
    request.once('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode < 200 || statusCode >= 300) {
        socket.destroy();
        return fail(new TransportError('PROXY', `the proxy refused the connection (${statusCode})`));
      }
      const names = { host: hostname, servername: servername ?? '' };
      const connection = tls.connect({ socket, ...names, ALPNProtocols: ['http/1.1'] });
      tunnel = connection.on('error', fail).once('secureConnect', () => {
        attempts.delete(fail);
        callback(null, connection.off('error', fail).setNoDelay(true));
      });
    });
    request.end();
  };
  /** Ends connections that are not established yet. */
  const stop = (error: Error): void => {
    for (const fail of attempts) fail(error);
  };
  return { host: proxy.host, connect, stop };
}
