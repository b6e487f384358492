/**
 * The one file that knows undici's inner paths (typed in undici-internals.d.ts, stubbed by scripts/build.mjs, pinned to
 * one version in package.json): its index takes three times as long to load as the parts used here, which is
 * a fifth of the whole time of `resolve`.
 */
import buildConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import type { Context } from '../context.ts';
import { systemCode } from '../errors.ts';
import type { BaseUrl } from './address.ts';
import type { Connections } from './http.ts';
import type { Tunnel } from './proxy.ts';

/** Idle milliseconds after which a connection is not used again, unless the service sends `Keep-Alive: timeout`. */
const idleTimeout = 250;
/** A connection is closed this much earlier than `Keep-Alive: timeout` allows, in milliseconds. */
const keepAliveMargin = 500;
/** The first that is set is used, as in curl. */
const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];

/** Opens at most `connections` to one origin. `timeout`: milliseconds to connect. Throws usage errors about the proxy. */
export async function openConnections(
  baseUrl: BaseUrl,
  connections: number,
  timeout: number,
  env: Context['env'],
): Promise<Connections> {
  const parserLoaded = await disableWasmTiering(baseUrl);
  const tunnel = await tunnelFor(baseUrl, env);
  const stopConnecting = tunnel?.stop ?? (() => {});
  const options = {
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleTimeout,
    keepAliveTimeoutThreshold: keepAliveMargin,
    connect: tunnel?.connect ?? buildConnector({ timeout }),
    ...(connections > 1 && { connections }),
  };
  const Connection = connections > 1 ? (await import('undici/lib/dispatcher/pool.js')).default : Client;
  const dispatcher = new Connection(baseUrl.origin, options);
  dispatcher.once('connect', parserLoaded);
  const opened: Connections = {
    dispatcher,
    name: tunnel === null ? baseUrl.origin : `${baseUrl.origin} through the proxy ${tunnel.host}`,
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

/** The tunnel through the proxy that the environment names for this service; null: it is reached directly. */
async function tunnelFor({ origin, loopback }: BaseUrl, env: Context['env']): Promise<Tunnel | null> {
  const variable = proxyVariables.find((name) => env[name]?.trim());
  if (variable === undefined || loopback) return null;
  const { parseProxy, tunnelThrough } = await import('./proxy.ts');
  const address = env[variable]?.trim() ?? '';
  const proxy = parseProxy(variable, address, new URL(origin).hostname, env.no_proxy || env.NO_PROXY || '');
  return proxy === null ? null : tunnelThrough(proxy);
}

/**
 * Keeps Node 20 from optimising undici's WebAssembly parser, which takes 100 ms at exit. Returns what restores the
 * flag once the parser is loaded: a changed flag invalidates the code cache of Node (5 ms for TLS).
 */
async function disableWasmTiering(baseUrl: BaseUrl): Promise<() => void> {
  if (!process.versions.node.startsWith('20.')) return () => {};
  const { setFlagsFromString } = await import('node:v8');
  if (baseUrl.origin.startsWith('https:')) await import('node:tls');
  setFlagsFromString('--wasm-tiering-budget=1000000000');
  return () => setFlagsFromString('--wasm-tiering-budget=1800000');
}
