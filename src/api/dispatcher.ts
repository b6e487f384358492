/**
 * The one file that knows undici's inner paths: its index costs three times as long to load as the parts used
 * here. `package.json` pins the version exactly for that.
 */
import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import { usage } from '../errors.ts';
import type { BaseUrl } from './address.ts';

export interface DispatcherOptions {
  /** Kept-alive connections at the most. */
  readonly connections: number;
  /** Milliseconds. */
  readonly connectTimeout: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * A dispatcher of requests to one origin. Through a proxy where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say
 * so, never for a loopback address.
 */
export async function createDispatcher(baseUrl: BaseUrl, options: DispatcherOptions): Promise<Dispatcher> {
  const parserLoaded = await keepNode20Quick(baseUrl);
  const dispatcher = await makeDispatcher(baseUrl, options);
  dispatcher.once('connect', parserLoaded);
  return dispatcher;
}

async function makeDispatcher(baseUrl: BaseUrl, options: DispatcherOptions): Promise<Dispatcher> {
  const { connections, connectTimeout, env } = options;
  const client = {
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeout },
  };
  // Plain http goes to this machine alone, so that HTTP_PROXY only ever stands in for the other.
  const named = env.https_proxy || env.HTTPS_PROXY || env.http_proxy || env.HTTP_PROXY;
  if (baseUrl.loopback || !named) {
    if (connections === 1) return new Client(baseUrl.origin, client);
    const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
    return new Pool(baseUrl.origin, { ...client, connections });
  }

  const { default: EnvHttpProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
  const { default: Base } = await import('undici/lib/dispatcher/dispatcher.js');
  const { default: connect } = await import('undici/lib/api/api-connect.js');
  // As undici's index does, which is not loaded: the tunnel through a proxy is made by this method.
  Object.assign(Base.prototype, { connect });
  // Without a scheme it is plain http, as curl has it.
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
 * Keeps Node 20 from optimising one function of undici's WebAssembly parser, which takes about 100 ms that it
 * waits for at exit; later versions do not. Returns what ends that once the parser is there: a changed flag voids
 * the code caches of Node's own modules (5 ms for TLS) and of this program.
 */
async function keepNode20Quick(baseUrl: BaseUrl): Promise<() => void> {
  if (!process.versions.node.startsWith('20.')) return () => {};
  if (baseUrl.origin.startsWith('https:')) await import('node:tls');
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--wasm-tiering-budget=1000000000');
  return () => setFlagsFromString('--wasm-tiering-budget=1800000');
}
