import { hash } from 'node:crypto';
import { type Authenticate, type Caller, ForwardedKey, missingKey, type Scope, scopeNames } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import { clientOf } from '../net/addresses.ts';
import { isAccessToken } from './access-tokens.ts';
import type { RateLimit } from './rate-limit.ts';

export interface AdmissionRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly ip: string;
  readonly facts: { keyId?: string; tokenId?: string; workspaceId?: string };
  readonly method?: string;
  readonly url?: string;
  addHeaders(headers: Readonly<Record<string, string>> | null): void;
}

type KeyOf = (request: Pick<AdmissionRequest, 'headers' | 'method' | 'url'>) => string | undefined;

/** @param keyOf default {@link apiKeyOf}. @throws as {@link Authenticate}; `service_unavailable` beyond the limit */
export type Admit = (request: AdmissionRequest, keyOf?: KeyOf) => Caller | Promise<Caller>;

export interface Admission {
  readonly admit: Admit;
  /** Counts a request without a key by its address. @returns null for one. @throws as {@link Admit}, but for a missing key */
  readonly admitAnyone: (request: AdmissionRequest) => Caller | null | Promise<Caller | null>;
}

export interface AdmissionLimits {
  readonly requests: RateLimit;
  /** By client address. */
  readonly wrongKeys: RateLimit;
  /** By client address. */
  readonly keyless: RateLimit;
}

export function admission(authenticate: Authenticate, { requests, wrongKeys, keyless }: AdmissionLimits): Admission {
  const accept = (request: AdmissionRequest, caller: Caller): Caller | Promise<Caller> => {
    request.facts.keyId = caller.keyId;
    if (caller.token !== undefined) request.facts.tokenId = caller.token.id;
    if (caller.forwardedKey === undefined) request.facts.workspaceId = caller.workspaceId;
    return counted(request, requests.take(caller.keyId), () => requireOrigin(caller, request));
  };
  const refuse = async (request: AdmissionRequest, error: unknown): Promise<never> => {
    if (isWrongKey(error)) request.addHeaders(await wrongKeys.take(clientOf(request.ip)));
    throw error;
  };
  // The key first, one read by an index: a right key is admitted whatever wrong ones come from its address, which many
  // clients behind a proxy may share.
  const admit: Admit = (request, keyOf = apiKeyOf) => {
    const caller = authenticate(keyOf(request));
    if (!(caller instanceof Promise)) return accept(request, caller);
    return caller.then(
      (found) => accept(request, found),
      (error: unknown) => refuse(request, error),
    );
  };
  const admitKeyless = (request: AdmissionRequest) => counted(request, keyless.take(clientOf(request.ip)), () => null);
  // GraphiQL sends an empty key until one is entered.
  return { admit, admitAnyone: (request) => (apiKeyOf(request) ? admit(request) : admitKeyless(request)) };
}

/** Tells the client what is left of its limit before anything else is checked. @returns what `next` returns */
function counted<Value>(
  request: AdmissionRequest,
  taken: ReturnType<RateLimit['take']>,
  next: () => Value,
): Value | Promise<Value> {
  if (taken instanceof Promise) return taken.then((fields) => counted(request, fields, next));
  request.addHeaders(taken);
  return next();
}

/** Not for a missing key, which cost no look-up. */
const isWrongKey = (error: unknown): boolean =>
  error instanceof ServiceError && ['invalid_credentials', 'expired_credentials'].includes(error.errorName);

/** Required by every endpoint of the contract. */
export const keyHeaderOf: KeyOf = ({ headers: { 'x-api-key': key } }) => (typeof key === 'string' ? key : undefined);

export const apiKeyOf: KeyOf = (request) => keyHeaderOf(request) ?? bearerTokenOf(request) ?? tokenInUrl(request);

const bearerTokenOf: KeyOf = ({ headers: { authorization } }) =>
  typeof authorization === 'string' ? /^Bearer +(\S+)$/i.exec(authorization)?.[1] : undefined;

/**
 * `EventSource` sends no headers of a script's choice. URLs stand in the logs of proxies: only a token, which ends
 * soon, and only here (RFC 6750, section 2.3). A cookie would be sent for pages of every origin.
 */
const tokenInUrl: KeyOf = ({ method, url, headers: { accept } }) => {
  if (method !== 'GET' || !url?.includes('access_token=') || !String(accept).includes('text/event-stream'))
    return undefined;
  const token = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('access_token');
  return token !== null && isAccessToken(token) ? token : undefined;
};

/** @throws ServiceError `resource_access_restricted` for a token from another origin, or from an unknown one */
function requireOrigin(caller: Caller, { headers }: AdmissionRequest): Caller {
  const origins = caller.token?.origins ?? null;
  if (origins === null || origins.some((each) => isFrom(each, headers))) return caller;
  throw new ServiceError('resource_access_restricted', {
    detail: 'The access token is for pages of other origins.',
    family: 'key',
  });
}

/** Browsers name no origin for same-origin reads. */
function isFrom(allowed: string, { origin, host, 'sec-fetch-site': site }: AdmissionRequest['headers']): boolean {
  if (origin !== undefined) return origin === allowed;
  return site === 'same-origin' && URL.parse(allowed)?.host === host;
}

const everyScope: ReadonlySet<Scope> = new Set(scopeNames);

/** Accepts every key: the upstream decides. @throws ServiceError `missing_credentials` without one */
export const acceptForwardedKey: Authenticate = async (apiKey) => {
  if (apiKey === undefined || apiKey === '') throw missingKey();
  // Cursors are bound to it: equal in every replica, and no use as a key.
  const id = hash('sha256', `postern forwarded key\0${apiKey}`, 'buffer').toString('base64url', 0, 16);
  return {
    keyId: id,
    keyName: null,
    workspaceId: id,
    workspaceName: null,
    scopes: everyScope,
    accountIds: null,
    expiresAt: null,
    forwardedKey: new ForwardedKey(apiKey),
  };
};

/** @throws Error for a caller not of {@link acceptForwardedKey}: a fault of ours */
export function apiKeyToForward({ forwardedKey }: Caller): string {
  if (forwardedKey === undefined) throw new Error('A caller without a forwarded key reached the upstream client');
  return forwardedKey.reveal();
}
