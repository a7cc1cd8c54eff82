/**
 * Forward proxies (RFC 9110, section 3.7): a request for `http` goes to the proxy with its whole URL, one for `https` through a tunnel
 * that the proxy opens (CONNECT).
 *
 * Not undici's ProxyAgent: it loads agents and SOCKS, needs methods that only undici's index adds, has no pool that
 * tells of its connections, and sends `https` through the proxy for `http`.
 */
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { buildConnector, Dispatcher, Pool } from 'undici';
import { inBlocks, readBlocks } from './addresses.ts';
import { readingLeniently } from './lenient-responses.ts';
import { undici } from './undici.ts';

export interface ProxySettings {
  /** URLs of the proxies for each scheme, with credentials if they need any. */
  readonly http: URL | undefined;
  readonly https: URL | undefined;
  readonly except: ProxyExceptions;
}

export const withoutProxies: ProxySettings = { http: undefined, https: undefined, except: () => true };

/** Hosts that are reached without a proxy. @param port of the URL, or its scheme's */
type ProxyExceptions = (hostname: string, port: string) => boolean;

const portOf = ({ protocol, port }: URL): string => port || (protocol === 'https:' ? '443' : '80');

/** As other programs read `NO_PROXY`: names with those below them, addresses, blocks, each with a port if it is for that alone; `*`. */
export function readExceptions(value: string): ProxyExceptions {
  const rules = value
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(ruleOf);
  return (hostname, port) => {
    const host = hostname
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/\.$/, '')
      .toLowerCase();
    return rules.some((rule) => rule(host, port));
  };
}

function ruleOf(entry: string): ProxyExceptions {
  if (entry === '*') return () => true;
  if (ipaddr.isValidCIDR(entry)) return inBlocks(readBlocks(entry));
  // Without brackets, an IPv6 address has no port.
  const [, bracketed, name = bracketed, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  const host = (name ?? entry)
    .replace(/^\*?\./, '')
    .replace(/\.$/, '')
    .toLowerCase();
  const isOnlyBelow = entry.startsWith('*.');
  return (hostname, wanted) =>
    (port === undefined || port === wanted) && ((!isOnlyBelow && hostname === host) || hostname.endsWith(`.${host}`));
}

type Options = Pool.Options & { readonly connect: buildConnector.connector };
type Request = Omit<Dispatcher.DispatchOptions, 'origin' | 'headers'> & {
  readonly headers: readonly string[] | Readonly<Record<string, string>>;
};

/** The proxy for a URL, if there is one. */
export function proxyFor({ http, https, except }: ProxySettings, address: string): URL | undefined {
  const proxy = address.startsWith('https:') ? https : http;
  if (proxy === undefined) return undefined;
  const url = new URL(address);
  return except(url.hostname, portOf(url)) ? undefined : proxy;
}

export type Proxies = ReturnType<typeof createProxies>;

/** @param timeoutMs of a connection, and of the proxy's response to CONNECT */
export function createProxies(settings: ProxySettings, timeoutMs: number) {
  let tunnels: ReturnType<typeof openTunnels> | undefined;

  /** There is one proxy for `https`. */
  const connectThrough = (proxy: URL): buildConnector.connector => {
    tunnels ??= openTunnels(proxy, timeoutMs);
    return tunnels.connect;
  };

  return {
    /** A pool for an origin. @param options.connect to the origin itself. @param seen is told of each connection through a proxy */
    open(
      origin: string,
      { connect: direct, ...options }: Options,
      seen: (socket: Socket) => void = () => undefined,
    ): Pool {
      const proxy = proxyFor(settings, origin);
      if (proxy === undefined) return new undici.Pool(origin, { ...options, connect: readingLeniently(direct) });
      const isTunnel = origin.startsWith('https:');
      const toProxy = undici.buildConnector({ allowH2: false, timeout: timeoutMs });
      const through = isTunnel ? connectThrough(proxy) : toProxy;
      const connect: buildConnector.connector = (to, done) =>
        through(to, (error, socket) => {
          if (error !== null) return done(error, null);
          seen(socket);
          done(null, socket);
        });
      return new undici.Pool(isTunnel ? origin : proxy.origin, { ...options, connect: readingLeniently(connect) });
    },
    /** Whether requests of an origin go through a proxy, which resolves its name. */
    has: (origin: string): boolean => proxyFor(settings, origin) !== undefined,
    /** A request as it is to be dispatched. */
    prepare(origin: string, given: Request): Dispatcher.DispatchOptions {
      const proxy = origin.startsWith('http:') ? proxyFor(settings, origin) : undefined;
      // A copy is a twentieth of what a small request allocates.
      if (proxy === undefined) return given as Dispatcher.DispatchOptions;
      const { headers, ...request } = given;
      const own = { host: new URL(origin).host, ...credentialsOf(proxy) };
      return {
        ...request,
        ...certifiedBy(proxy),
        path: origin + request.path,
        headers: Array.isArray(headers)
          ? [...headers, ...Object.entries(own).flat()]
          : { ...(headers as Readonly<Record<string, string>>), ...own },
      };
    },
    close: async () => tunnels?.close(),
  };
}

/** Otherwise, undici would expect the certificate of the host in the header. Its types lack the option. */
const certifiedBy = ({
  protocol,
  hostname,
}: URL): Pick<Dispatcher.DispatchOptions, 'origin'> & { servername?: string } =>
  protocol === 'https:' ? { servername: hostname } : {};

function credentialsOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** Nothing was sent to the other side. */
class ProxyFailed extends Error {
  readonly code = 'PROXY_FAILED';
}

function openTunnels(proxy: URL, timeoutMs: number) {
  const connect = undici.buildConnector({ allowH2: false, timeout: timeoutMs });
  const pool = new undici.Pool(proxy.origin, { allowH2: false, connect, headersTimeout: timeoutMs });
  const overTunnel = undici.buildConnector({ allowH2: false, timeout: timeoutMs });
  return {
    connect(to: buildConnector.Options, done: buildConnector.Callback) {
      const host = to.hostname.includes(':') ? `[${to.hostname}]` : to.hostname;
      const authority = `${host}:${to.port || 443}`;
      const headers = { host: authority, ...credentialsOf(proxy) };
      const fail = (reason: string, cause?: Error) => done(new ProxyFailed(`The proxy ${reason}`, { cause }), null);
      pool.dispatch(
        { ...certifiedBy(proxy), method: 'CONNECT', path: authority, headers },
        {
          onRequestStart() {},
          onRequestUpgrade(_controller, status, _headers, socket) {
            // RFC 9110, section 9.3.6: any 2xx.
            if (status >= 200 && status <= 299) return overTunnel({ ...to, httpSocket: socket as Socket }, done);
            socket.on('error', () => undefined).destroy();
            fail(`responded to CONNECT with ${status}`);
          },
          onResponseStart() {},
          onResponseData() {},
          onResponseEnd: () => fail('opened no tunnel'),
          onResponseError: (_controller, error) => fail('opened no tunnel', error),
        },
      );
    },
    close: () => pool.destroy(),
  };
}
