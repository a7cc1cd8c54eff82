/**
 * How the demo key reaches GraphiQL: the start prints a link with a token, and the page behind it exchanges the token for
 * the key, once. The page itself never contains the key: a proxy, another user of this machine or a link preview may
 * read it.
 *
 * The browser keeps the key in session storage and sends it as `X-API-KEY`. Why not in a cookie: every other port of this
 * host would receive it, other sites could send requests with it (so that each request would need a check of its
 * origin), and a second credential would be one more that only GraphQL may accept.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type AdmissionRequest, apiKeyOf } from '../../auth/admission.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import type { Route } from '../../http/router.ts';
import { sendJson } from '../../http/send.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { RandomBytes } from '../../kernel/ids.ts';
import { inBlocks, readBlocks } from '../../net/addresses.ts';

/** How long the token is valid: long enough to come back to the terminal, short enough for old output to be harmless. */
export const tokenLifetimeMs = 3_600_000;

/**
 * Whether a request is from a page of the gateway itself, with the demo key. Programs could say the same of themselves, but
 * have the demo key only on a developer's own machine.
 */
export const isOfDemoPage =
  (demoKey: string) =>
  ({ headers }: Pick<AdmissionRequest, 'headers'>): boolean =>
    headers['sec-fetch-site'] === 'same-origin' && apiKeyOf({ headers }) === demoKey;

export interface SignIn {
  /** The token of the link: 43 characters of base64url. */
  readonly token: string;
  /**
   * The demo key, for the first who asks with the token.
   * @throws ServiceError `expired_link` for any other token, a second time, and after {@link tokenLifetimeMs}
   */
  exchange(token: string | undefined): Promise<string>;
}

/** @param demoKey reads the key; undefined if it was deleted */
export function createSignIn({
  demoKey,
  now,
  randomBytes,
}: {
  readonly demoKey: () => Promise<string | undefined>;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
}): SignIn {
  const token = randomBytes(32).toString('base64url');
  const validUntil = now().getTime() + tokenLifetimeMs;
  let expected: Buffer | null = digest(token);
  return {
    token,
    async exchange(offered = '') {
      // Digests have one length, so the comparison takes the same time for every token.
      if (expected === null || now().getTime() >= validUntil || !timingSafeEqual(digest(offered), expected)) {
        throw expired();
      }
      // Before anything is awaited: of two requests with the token, only one gets the key.
      expected = null;
      const key = await demoKey();
      if (key === undefined) throw expired();
      return key;
    },
  };
}

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();

const expired = () =>
  new ServiceError('expired_link', {
    detail: 'The link was used before, or has expired. Restart the gateway for a new one.',
  });

/** Where the page exchanges its token, under the endpoint. */
export const signInPath = (endpoint: string): string => `${endpoint}/demo-key`;

/** The exchange: the token as bearer token → `{"key": "postern_…"}`. */
export const signInRoutes = (endpoint: string, { exchange }: SignIn): Route[] => [
  {
    method: 'POST',
    path: signInPath(endpoint),
    async serve(request) {
      if (!isDirect(request) || !isFromOwnPage(request)) {
        throw new ServiceError('insufficient_permissions', {
          detail: 'Open the link on the machine that runs the gateway, and not through a proxy.',
        });
      }
      const key = await exchange(/^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]);
      sendJson(request, 200, { key });
    },
  },
];

/**
 * Headers that a browser sends by itself with the page's request, and those of tracing. Proxies, tunnels and content
 * delivery networks tell of themselves in headers without number (`Via`, `X-Forwarded-For`, `CF-Ray`, `X-Amzn-Trace-Id`,
 * `X-Envoy-External-Address`, …): whatever is not here was added on the way.
 */
const ofBrowsers =
  /^(?:host|connection|content-length|authorization|accept|accept-(?:encoding|language|charset)|origin|referer|user-agent|sec-(?:fetch|ch|gpc)\b.*|cookie|cache-control|pragma|dnt|priority|te|save-data|idempotency-key|traceparent|tracestate)$/;

const thisMachine = inBlocks(readBlocks('127.0.0.0/8, ::1/128'));

/**
 * Whether a request comes from this machine, and through nothing that says so. The address is that of the connection,
 * whatever proxies TRUST_PROXY trusts.
 */
const isDirect = ({ raw: { headers, socket } }: IncomingRequest): boolean =>
  thisMachine(socket.remoteAddress ?? '') && Object.keys(headers).every((name) => ofBrowsers.test(name));

/**
 * Whether the page that asks was opened under a loopback name. A proxy may say nothing of itself; ORIGIN is the browser's
 * own word for the address that it shows, and SEC-FETCH-SITE for who asks, which an old browser does not say. A link that
 * is opened through a proxy by mistake does not carry the key off the machine, and stays usable.
 */
const isFromOwnPage = ({ headers }: IncomingRequest): boolean => {
  const { host = '', origin, 'sec-fetch-site': site = 'same-origin' } = headers;
  return origin === `http://${host}` && site === 'same-origin' && isLoopback(host.replace(/:\d+$/, ''));
};

/** Whether a host name or address, as in a URL or in HOST, is always this machine. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/i.test(host);
