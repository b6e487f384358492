/**
 * The one file that knows undici's inner paths (typed in undici-internals.d.ts, stubbed by scripts/build.mjs, pinned to
 * one version in package.json): its index takes three times as long to load as the parts used here, which is
 * a fifth of the whole time of `resolve`.
 */
import type { Socket } from 'node:net';
import buildConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import type { Context } from '../context.ts';
import { systemCode } from '../errors.ts';
import type { BaseUrl } from './address.ts';
import type { Connections } from './http.ts';

/** Idle time after which a connection is not used again if the service names none, in milliseconds: below what servers allow. */
const idleTimeout = 250;
/** A connection is closed this much earlier than `Keep-Alive: timeout` allows, in milliseconds. */
const keepAliveMargin = 500;
const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/**
 * At most `connections` to one origin, through a proxy if the environment names one; `timeout`: of connecting, in
 * milliseconds. Throws a usage error for a proxy that cannot be used.
 */
export async function openConnections(
  baseUrl: BaseUrl,
  connections: number,
  timeout: number,
  env: Context['env'],
): Promise<Connections> {
  const parserLoaded = await disableWasmTiering(baseUrl);
  let connect = buildConnector({ timeout });
  let stopConnecting = (_: Error): void => {};
  let name = baseUrl.origin;
  const variable = proxyVariables.find((name) => env[name]?.trim());
  if (variable !== undefined && !baseUrl.loopback) {
    const { parseProxy, tunnelThrough } = await import('./proxy.ts');
    const noProxy = env.no_proxy || env.NO_PROXY || '';
    const { hostname } = new URL(baseUrl.origin);
    const proxy = parseProxy(variable, env[variable]?.trim() ?? '', hostname, noProxy);
    if (proxy !== null) {
      ({ connect, stop: stopConnecting } = tunnelThrough(proxy));
      name += ` through the proxy ${proxy.host}`;
    }
  }
  const options = {
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleTimeout,
    keepAliveTimeoutThreshold: keepAliveMargin,
    connect: skippingContinue(connect),
    ...(connections > 1 && { connections }),
  };
  const Connection = connections > 1 ? (await import('undici/lib/dispatcher/pool.js')).default : Client;
  const dispatcher = new Connection(baseUrl.origin, options);
  dispatcher.once('connect', parserLoaded);
  const opened: Connections = {
    dispatcher,
    name,
    closesUnannounced: false,
    stopConnecting,
    destroy: async (error) => {
      stopConnecting(error);
      await dispatcher.destroy(error);
    },
  };
  dispatcher.on('disconnect', (_origin, _targets, error) => {
    // undici uses this code if it closes the connection itself, as the service has announced.
    if (systemCode(error) !== 'UND_ERR_INFO') opened.closesUnannounced = true;
  });
  return opened;
}

/** HTTP allows `100 Continue` before any response. undici closes the connection at one, but skips the `102` that it gets. */
function skippingContinue(connect: buildConnector.connector): buildConnector.connector {
  const readAs102 = (socket: Socket): void => {
    const { read } = socket;
    /** Bytes sent before the last response: if there are more, a chunk begins the next one. */
    let sent = 0;
    socket.read = (size) => {
      const chunk: Buffer | null = read.call(socket, size);
      if (chunk === null || socket.bytesWritten === sent) return chunk;
      if (chunk.toString('latin1', 0, 12) === 'HTTP/1.1 100') chunk.write('2', 11);
      else sent = socket.bytesWritten;
      return chunk;
    };
  };
  return (options, callback) =>
    connect(options, (...result) => {
      if (result[0] === null) readAs102(result[1]);
      callback(...result);
    });
}

/**
 * Keeps Node 20 from optimising one function of undici's WebAssembly parser: that takes about 100 ms, and the
 * process waits for it at exit. Returns the function that restores the flag once the parser is loaded: a changed
 * flag invalidates the code cache of Node's own modules (5 ms for TLS).
 */
async function disableWasmTiering(baseUrl: BaseUrl): Promise<() => void> {
  if (!process.versions.node.startsWith('20.')) return () => {};
  const { setFlagsFromString } = await import('node:v8');
  if (baseUrl.origin.startsWith('https:')) await import('node:tls');
  setFlagsFromString('--wasm-tiering-budget=1000000000');
  return () => setFlagsFromString('--wasm-tiering-budget=1800000');
}
