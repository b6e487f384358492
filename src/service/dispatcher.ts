/**
 * The one file that knows undici's inner paths: its index takes three times as long to load as the parts used here.
 * `package.json` pins the version exactly for that reason.
 */
import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import { systemCode, usage } from '../errors.ts';
import type { BaseUrl } from './address.ts';

export interface ConnectionOptions {
  /** Largest number of open connections. */
  readonly connections: number;
  /** Milliseconds. */
  readonly connectTimeout: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The connections of a call to one origin. */
export interface Connections {
  readonly dispatcher: Dispatcher;
  /**
   * The service closes connections without announcing it: each request gets a new one from now on, because a request
   * that crosses such a close may have been charged.
   */
  closesUnannounced: boolean;
}

/** Idle time after which a connection is not used again if the service names none, in milliseconds: below what servers allow. */
const idleTimeout = 250;
/** A connection is closed this much earlier than `Keep-Alive: timeout` allows, in milliseconds. */
const keepAliveMargin = 500;

/**
 * Connections to one origin. Through a proxy if `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say so, never for a
 * loopback address.
 */
export async function openConnections(baseUrl: BaseUrl, options: ConnectionOptions): Promise<Connections> {
  const parserLoaded = await keepNode20Quick(baseUrl);
  const dispatcher = await createDispatcher(baseUrl, options);
  dispatcher.once('connect', parserLoaded);
  const connections: Connections = { dispatcher, closesUnannounced: false };
  dispatcher.on('disconnect', (_origin, _targets, error) => {
    // undici uses this code if it closes the connection itself, as the service has announced.
    if (systemCode(error) !== 'UND_ERR_INFO') connections.closesUnannounced = true;
  });
  return connections;
}

async function createDispatcher(baseUrl: BaseUrl, options: ConnectionOptions): Promise<Dispatcher> {
  const { connections, connectTimeout, env } = options;
  const client = {
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleTimeout,
    keepAliveTimeoutThreshold: keepAliveMargin,
    connect: { timeout: connectTimeout },
  };
  // Plain http is for loopback only, so HTTP_PROXY can only stand in for HTTPS_PROXY.
  const named = env.https_proxy || env.HTTPS_PROXY || env.http_proxy || env.HTTP_PROXY;
  if (baseUrl.loopback || !named) {
    if (connections === 1) return new Client(baseUrl.origin, client);
    const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
    return new Pool(baseUrl.origin, { ...client, connections });
  }

  const { default: EnvHttpProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
  const { default: Base } = await import('undici/lib/dispatcher/dispatcher.js');
  const { default: connect } = await import('undici/lib/api/api-connect.js');
  // As undici's index does, which is not loaded: the tunnel through a proxy needs this method.
  Object.assign(Base.prototype, { connect });
  // Without a scheme it is plain http, as for curl.
  const proxy = /^[a-z][a-z0-9+.-]*:\/\//i.test(named) ? named : `http://${named}`;
  try {
    return new EnvHttpProxyAgent({
      ...client,
      connections,
      httpProxy: proxy,
      httpsProxy: proxy,
      noProxy: env.no_proxy || env.NO_PROXY || '',
    });
  } catch {
    // The address may hold a password: it is not shown.
    throw usage(
      'the proxy address in HTTPS_PROXY or HTTP_PROXY is not a URL',
      'expected e.g. http://proxy:3128',
    );
  }
}

/**
 * Keeps Node 20 from optimising one function of undici's WebAssembly parser: that takes about 100 ms, and the
 * process waits for it at exit. Returns the function that restores the flag once the parser is loaded: a changed
 * flag invalidates the code cache of Node's own modules (5 ms for TLS).
 */
async function keepNode20Quick(baseUrl: BaseUrl): Promise<() => void> {
  if (!process.versions.node.startsWith('20.')) return () => {};
  if (baseUrl.origin.startsWith('https:')) await import('node:tls');
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--wasm-tiering-budget=1000000000');
  return () => setFlagsFromString('--wasm-tiering-budget=1800000');
}
