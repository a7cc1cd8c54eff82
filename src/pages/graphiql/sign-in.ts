/**
 * Hands the demo key to GraphiQL: the start prints a link with a token, which the page exchanges for the key, once. The
 * page itself never contains the key: proxies, other users of the machine or link previews may read it.
 *
 * The browser keeps the key in session storage and sends it as `X-API-KEY`. Not in a cookie: every other port of the
 * host would receive it, other sites could send requests with it, and only GraphQL could accept this second credential.
 */

import { hash, timingSafeEqual } from 'node:crypto';
import { type AdmissionRequest, apiKeyOf } from '../../auth/admission.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import type { Route } from '../../http/router.ts';
import { sendJson } from '../../http/send.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { RandomBytes } from '../../kernel/ids.ts';
import { hour } from '../../kernel/lib/time-units.ts';
import { inBlocks, isLoopback, loopback } from '../../net/addresses.ts';

/** Long enough to come back to the terminal, short enough for old output to be harmless. */
export const tokenLifetimeMs = hour;

/**
 * Recognizes the gateway's own page by its demo key. Programs could claim the same, but have the demo key only on a
 * developer's machine.
 */
export const isOfDemoPage =
  (demoKey: string) =>
  ({ headers }: Pick<AdmissionRequest, 'headers'>): boolean =>
    headers['sec-fetch-site'] === 'same-origin' && apiKeyOf({ headers }) === demoKey;

/** 43 characters of base64url. */
export const signInToken = (randomBytes: RandomBytes): string => randomBytes(32).toString('base64url');

export type SignIn = ReturnType<typeof createSignIn>;

/** @param demoKey undefined if the key was deleted */
export function createSignIn({
  demoKey,
  now,
  token,
  claim,
}: {
  readonly demoKey: () => Promise<string | undefined>;
  readonly now: () => Date;
  readonly token: string;
  /** Whether nobody has used the token; it is used then. */
  readonly claim: () => Promise<boolean>;
}) {
  const validUntil = now().getTime() + tokenLifetimeMs;
  let expected: Buffer | null = tokenDigest(token);
  return {
    token,
    /** Returns the demo key once. @throws ServiceError `expired_link` for a wrong, used or expired token */
    async exchange(offered = ''): Promise<string> {
      // Digests have one length, so the comparison takes the same time for every token.
      if (expected === null || now().getTime() >= validUntil || !timingSafeEqual(tokenDigest(offered), expected)) {
        throw expired();
      }
      // Before anything is awaited: of two requests with the token, only one gets the key.
      expected = null;
      if (!(await claim())) throw expired();
      const key = await demoKey();
      if (key === undefined) throw expired();
      return key;
    },
  };
}

const tokenDigest = (token: string): Buffer => hash('sha256', token, 'buffer');

const expired = () =>
  new ServiceError('expired_link', {
    detail: 'The link was used before, or has expired. Restart the gateway for a new one.',
  });

export const signInPath = (endpoint: string): string => `${endpoint}/demo-key`;

/** Bearer token → `{"key": "postern_…"}`. */
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
 * Headers of browsers and of tracing. Proxies, tunnels and CDNs announce themselves in countless others (`Via`,
 * `X-Forwarded-For`, `CF-Ray`, `X-Amzn-Trace-Id`, …): any other was added on the way.
 */
const ofBrowsers =
  /^(?:host|connection|content-length|authorization|accept|accept-(?:encoding|language|charset)|origin|referer|user-agent|sec-(?:fetch|ch|gpc)\b.*|cookie|cache-control|pragma|dnt|priority|te|save-data|idempotency-key|traceparent|tracestate)$/;

const thisMachine = inBlocks(loopback);

/**
 * Whether a request comes from this machine, through nothing that announces itself; by the address of the connection,
 * whatever TRUST_PROXY says.
 */
const isDirect = ({ raw: { headers, socket } }: IncomingRequest): boolean =>
  thisMachine(socket.remoteAddress ?? '') && Object.keys(headers).every((name) => ofBrowsers.test(name));

/**
 * Whether the page was opened under a loopback name, as a proxy may be silent: ORIGIN is the browser's word for its
 * address bar,
 * SEC-FETCH-SITE for the asking page. A link opened through a proxy by mistake carries no key away, and stays usable.
 */
const isFromOwnPage = ({ headers }: IncomingRequest): boolean => {
  const { host = '', origin, 'sec-fetch-site': site = 'same-origin' } = headers;
  return origin === `http://${host}` && site === 'same-origin' && isLoopback(host.replace(/:\d+$/, ''));
};
