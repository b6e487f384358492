/**
 * The only file that imports an internal path of undici, which is typed in undici-internals.d.ts, stubbed by scripts/build.mjs
 * and pinned to one version in package.json. The index of undici takes three times as long to load as the parts used here,
 * which is a fifth of the whole time of `resolve`.
 */
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Context } from '../context.ts';
import { systemCode } from '../errors.ts';
import type { BaseUrl } from './address.ts';
import type { Connections } from './http.ts';

/** Idle milliseconds after which a connection is not used again, unless the service sends `Keep-Alive: timeout`. */
const idleTimeoutMs = 250;
/** A connection is closed this much earlier than `Keep-Alive: timeout` allows, in milliseconds. */
const keepAliveMarginMs = 500;
/** The first variable that is set is used, for http and https addresses alike. */
const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];

/** Returns a tunnel, not connected yet, through the environment's proxy; null without one. Throws usage errors about the proxy. */
export async function findTunnel({ origin, loopback }: BaseUrl, env: Context['env']) {
  const variable = loopback ? undefined : proxyVariables.find((name) => env[name]?.trim());
  if (variable === undefined) return null;
  const { openTunnel } = await import('./proxy.ts');
  return openTunnel(variable, origin, env);
}

/** Opens at most `connections` to one origin; `timeoutMs` limits connecting. Throws usage errors about the proxy. */
export async function openConnections(
  baseUrl: BaseUrl,
  connections: number,
  timeoutMs: number,
  env: Context['env'],
): Promise<Connections> {
  const { origin } = baseUrl;
  const parserLoaded = await disableWasmTiering(baseUrl);
  const tunnel = await findTunnel(baseUrl, env);
  const stopConnecting = (error: Error): void => tunnel?.stop(error);
  const dispatcher = new Pool(origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleTimeoutMs,
    keepAliveTimeoutThreshold: keepAliveMarginMs,
    connectTimeout: timeoutMs,
    ...(tunnel && { connect: tunnel.connect }),
  });
  dispatcher.once('connect', parserLoaded);
  const opened: Connections = {
    dispatcher,
    name: tunnel === null ? origin : `${origin} through the proxy ${tunnel.host}`,
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

/**
 * Keeps Node 20 from optimising undici's WebAssembly parser, which takes 100 ms at exit. Returns a function that restores the
 * flag, to be called once the parser is loaded: a changed flag invalidates the code cache of Node (5 ms for TLS).
 */
async function disableWasmTiering(baseUrl: BaseUrl): Promise<() => void> {
  if (!process.versions.node.startsWith('20.')) return () => {};
  const { setFlagsFromString } = await import('node:v8');
  if (baseUrl.origin.startsWith('https:')) await import('node:tls');
  setFlagsFromString('--wasm-tiering-budget=1000000000');
  return () => setFlagsFromString('--wasm-tiering-budget=1800000');
}
