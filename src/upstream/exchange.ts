/** One HTTP exchange with the upstream: a call is prepared, sent, and its response read. */
import { apiKeyToForward } from '../auth/forwarded-key.ts';
import { type ContractEndpoint, pathParameters } from '../kernel/endpoint.ts';
import { ServiceError } from '../kernel/errors.ts';
import { replayedHeader } from '../kernel/idempotency.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import { dataRedactor, redactor } from '../kernel/secrets/redact.ts';
import { openServicePool } from '../net/service-pool.ts';
import { unreadableResponse } from '../net/transport-failure.ts';
import type { CallOrigin } from './circuits.ts';
import { asGatewayFault, connectionFailure, expiry, type Failure } from './failure.ts';
import { readResponse, type Success, unreadable } from './response.ts';
import type { UpstreamSettings } from './settings.ts';
import { createTranslator, type Vocabularies } from './translation.ts';

export interface PreparedCall {
  readonly endpoint: ContractEndpoint;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly requestId: string;
  readonly origin: CallOrigin;
  /** Whether it can be repeated whatever its outcome was: it changes nothing, or the service acts once for its key. */
  readonly repeatable: boolean;
  readonly idempotency: RequestContext['idempotency'];
}

export interface Exchange {
  /**
   * @param request the path parameters, the query and the body as one flat object, in the contract's terms
   * @throws ServiceError of the endpoint's type for a malformed id
   */
  prepare(context: RequestContext, endpoint: ContractEndpoint, request: object): PreparedCall;
  /** Sends the call and reads its response. It never rejects. */
  send(call: PreparedCall, signal: AbortSignal): Promise<Success | Failure>;
  /**
   * A health probe: rejects unless the service responds with a status below 500. It is sent without a key, to a path
   * that the contract does not have. Not HEAD, after which undici closes the connection.
   * @param over the connections of calls, to open one, or a connection that takes none from them
   */
  probe(over: 'calls' | 'probes', signal: AbortSignal): Promise<void>;
  /** Whether responses of the endpoint have other terms than the contract's. */
  isTranslated(endpoint: ContractEndpoint): boolean;
  close(): Promise<void>;
}

/** The longest wait for a connection, in milliseconds. */
export const connectTimeoutMs = 5_000;

/** @throws Error that says what is wrong with `settings.names` */
export function openExchange(settings: UpstreamSettings, vocabularies: Vocabularies, now: () => Date): Exchange {
  const { origin, basePath, connections, maxBytes, actsOnce } = settings;
  const translationOf = createTranslator(settings.names, vocabularies);
  const pool = openServicePool(origin, { connections, maxBytes, connectTimeoutMs });
  const redactions = (headers: Readonly<Record<string, string>>) => {
    const secrets = [headers['x-api-key'] ?? '', ...Object.values(settings.headers)];
    return { inText: redactor(secrets), inData: dataRedactor(secrets) };
  };
  const ofService = settings.apiKey === undefined ? null : redactions({ 'x-api-key': settings.apiKey });
  const probes = openServicePool(origin, { connections: 1, maxBytes, connectTimeoutMs });

  return {
    prepare({ caller, requestId, idempotency }, endpoint, request) {
      const translation = translationOf(endpoint);
      const path = translation.path(request);
      if (path === undefined) throw new ServiceError(endpoint.malformedId, { detail: 'The id is malformed.' });
      const body = endpoint.body ? JSON.stringify(translation.encode(bodyOf(endpoint, request))) : null;
      return {
        endpoint,
        path: basePath + path + queryOf(endpoint, request),
        headers: {
          ...settings.headers,
          accept: 'application/json',
          'x-api-key': settings.apiKey ?? apiKeyToForward(caller),
          'x-request-id': requestId,
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          ...(idempotency === undefined ? {} : { 'idempotency-key': idempotency.key }),
        },
        body,
        requestId,
        origin: { ...accountOf(request), keyId: caller.keyId, capability: endpoint.capability, target: path },
        repeatable: endpoint.method === 'GET' || (actsOnce && idempotency !== undefined),
        idempotency,
      };
    },

    async send({ endpoint, path, headers, body, idempotency }, signal) {
      const response = await pool.send({ method: endpoint.method, path, headers, body, signal });
      if (response.kind === 'whole') {
        if (response.headers[replayedHeader] === 'true') idempotency?.onReplayed();
        const { inText, inData } = ofService ?? redactions(headers);
        const shown = { ...response, body: inData(response.body) };
        const outcome = readResponse(endpoint, translationOf(endpoint), shown, now().getTime(), inText);
        return outcome.kind !== 'success' && settings.apiKey !== undefined ? asGatewayFault(outcome) : outcome;
      }
      const { status, cause } = response;
      if (signal.aborted) return expiry(signal.reason, { sent: true });
      switch (unreadableResponse(cause)) {
        case 'too_large':
          return unreadable(status ?? 500, `has more than ${maxBytes} bytes`);
        case 'not_http':
          return unreadable(status ?? 500, 'is not HTTP');
        case null:
          return connectionFailure(cause);
      }
    },

    async probe(over, signal) {
      const { headers } = settings;
      const through = over === 'calls' ? pool : probes;
      const response = await through.send({ method: 'GET', path: `${basePath}/`, headers, body: null, signal });
      const { status } = response;
      if (response.kind === 'broken' && status === null) throw response.cause;
      if (status !== null && status >= 500) throw new Error(`The upstream service responded with ${status}`);
    },

    isTranslated: (endpoint) => translationOf(endpoint).decode !== null,
    async close() {
      await Promise.all([pool.close(), probes.close()]);
    },
  };
}

/** The query in the order of the table, so that equal reads look equal. */
function queryOf(endpoint: ContractEndpoint, request: object): string {
  let query = '';
  for (const name in endpoint.query) {
    const value: unknown = Reflect.get(request, name);
    // Half of a surrogate pair has no encoding.
    if (value !== undefined)
      query += `${query === '' ? '?' : '&'}${name}=${encodeURIComponent(String(value).toWellFormed())}`;
  }
  return query;
}

/** The account that the request names. */
function accountOf(request: object): Pick<CallOrigin, 'accountId'> {
  const accountId: unknown = Reflect.get(request, 'account_id');
  return { accountId: typeof accountId === 'string' ? accountId : null };
}

/** The fields of the request that are not path parameters. */
function bodyOf(endpoint: ContractEndpoint, request: object): object {
  const ids = pathParameters(endpoint);
  return Object.fromEntries(Object.entries(request).filter(([name]) => !ids.includes(name)));
}
