/** Admission: who a request is from, and whether they have made too many. Both faces begin with it. */

import type { Authenticate, Caller } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import { clientOf } from '../net/addresses.ts';
import { isForwarded } from './forwarded-key.ts';
import type { RateLimit } from './rate-limit.ts';

/** What admission needs of an HTTP request. */
export interface AdmissionRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The address of the client. */
  readonly ip: string;
  /** Whose request it is, for the log, as soon as that is known. */
  readonly facts: { keyId?: string; workspaceId?: string };
  /** Adds headers to the response. */
  addHeaders(headers: Readonly<Record<string, string>> | null): void;
}

/** Where a face looks for the API key of a request. */
export type KeyOf = (request: Pick<AdmissionRequest, 'headers'>) => string | undefined;

/**
 * Identifies the caller of a request, and counts it.
 * @param keyOf {@link apiKeyOf} if left out
 * @throws ServiceError as {@link Authenticate}, or `service_unavailable` for one request too many
 */
export type Admit = (request: AdmissionRequest, keyOf?: KeyOf) => Promise<Caller>;

export interface Admission {
  readonly admit: Admit;
  /**
   * Counts a request that needs no key: by its address, or by its key if it has one, which must be right as everywhere.
   * @throws ServiceError as {@link Admit}, but not for a missing key
   */
  readonly admitKeyless: (request: AdmissionRequest) => Promise<void>;
}

export interface AdmissionLimits {
  /** Requests, by API key. */
  readonly requests: RateLimit;
  /** Requests with a wrong API key, by client address. */
  readonly wrongKeys: RateLimit;
  /** Requests without an API key, by client address. */
  readonly keyless: RateLimit;
}

export function admission(authenticate: Authenticate, { requests, wrongKeys, keyless }: AdmissionLimits): Admission {
  // A right key is admitted whatever wrong ones come from its address, which many clients behind one proxy may share. So
  // the key is looked up first, which is one read by an index.
  const admit: Admit = async (request, keyOf = apiKeyOf) => {
    const caller = await authenticate(keyOf(request)).catch(async (error: unknown) => {
      if (isWrongKey(error)) request.addHeaders(await wrongKeys.take(clientOf(request.ip)));
      throw error;
    });
    request.facts.keyId = caller.keyId;
    if (!isForwarded(caller)) request.facts.workspaceId = caller.workspaceId;
    request.addHeaders(await requests.take(caller.keyId));
    return caller;
  };
  return {
    admit,
    async admitKeyless(request) {
      // GraphiQL sends an empty key until one is entered.
      if (apiKeyOf(request)) await admit(request);
      else request.addHeaders(await keyless.take(clientOf(request.ip)));
    },
  };
}

/** Not a missing one: nothing was looked up for it. */
const isWrongKey = (error: unknown): boolean =>
  error instanceof ServiceError && ['invalid_credentials', 'expired_credentials'].includes(error.errorName);

/** The `X-API-KEY` header, which every endpoint of the contract requires. */
export const keyHeaderOf: KeyOf = ({ headers: { 'x-api-key': key } }) => (typeof key === 'string' ? key : undefined);

/** The API key of a request: the `X-API-KEY` header, or else the bearer token; undefined without either. */
export const apiKeyOf: KeyOf = (request) => keyHeaderOf(request) ?? bearerTokenOf(request);

const bearerTokenOf: KeyOf = ({ headers: { authorization } }) =>
  typeof authorization === 'string' ? /^Bearer +(\S+)$/i.exec(authorization)?.[1] : undefined;
