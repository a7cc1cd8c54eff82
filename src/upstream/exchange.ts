/** One HTTP exchange with the upstream: preparing and sending a call, reading its response. */
import { apiKeyToForward } from '../auth/admission.ts';
import { type ContractEndpoint, pathParameters } from '../kernel/endpoint.ts';
import { ServiceError } from '../kernel/errors.ts';
import { replayedHeader } from '../kernel/idempotency.ts';
import type { AbortSignalLike } from '../kernel/lib/abort-signal.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import { redactor } from '../kernel/secrets/redact.ts';
import { Body, type BodyMemory, createBodyMemory } from '../net/body-memory.ts';
import { type Decoder, decode, decodersOf } from '../net/content-codings.ts';
import { openServicePool, type WholeResponse } from '../net/service-pool.ts';
import { unreadableResponse } from '../net/transport-failure.ts';
import type { CallOrigin } from './circuits.ts';
import { asGatewayFault, type CallFailure, connectionFailure, expiry } from './failure.ts';
import { readResponse, type Success, unexpectedResponse } from './response.ts';
import type { UpstreamSettings } from './settings.ts';
import { createTranslator, type Vocabularies } from './translation.ts';

export interface PreparedCall {
  readonly endpoint: ContractEndpoint;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The ids of the path, with their names. */
  readonly subject: () => string;
  readonly requestId: string;
  readonly origin: CallOrigin;
  /** Whether it may be repeated whatever its outcome: it changes nothing, or the service acts once for its key. */
  readonly repeatable: boolean;
  readonly idempotency: RequestContext['idempotency'];
}

export type HttpExchange = ReturnType<typeof openExchange>;

export const connectionWaitMs = 5_000;

/** @throws Error that says what is wrong with `settings.names` */
export function openExchange(
  settings: UpstreamSettings,
  vocabularies: Vocabularies,
  { now, memory = createBodyMemory() }: { readonly now: () => Date; readonly memory?: BodyMemory | undefined },
) {
  const { origin, basePath, maxBytes, actsOnce } = settings;
  const translationOf = createTranslator(settings.names, vocabularies);
  const poolOf = (connections: number) =>
    openServicePool(origin, {
      connections,
      maxBytes,
      connectTimeoutMs: connectionWaitMs,
      memory,
      proxies: settings.proxies,
    });
  const pool = poolOf(settings.connections);
  const redactorFor = (apiKey: string) =>
    redactor(
      [apiKey, ...Object.values(settings.headers), ...(settings.secrets ?? [])],
      ['x-api-key', ...Object.keys(settings.headers)],
    );
  const ofService = settings.apiKey === undefined ? null : redactorFor(settings.apiKey);
  const probes = poolOf(1);

  /** The response without codings; null if it is too large then. */
  async function decoded(response: WholeResponse, codings: readonly Decoder[]): Promise<WholeResponse | null> {
    const bytes = await decode(response.body.chunks, codings, maxBytes);
    response.body.release();
    return bytes === null ? null : { ...response, body: new Body([bytes]) };
  }

  const tooLarge = (status: number | null) => unexpectedResponse(status ?? 500, `has more than ${maxBytes} bytes`);

  return {
    /** @param request flat, in the contract's terms. @throws ServiceError of the endpoint's type for a malformed id */
    prepare(
      { caller, requestId, idempotency }: RequestContext,
      endpoint: ContractEndpoint,
      request: object,
    ): PreparedCall {
      const translation = translationOf(endpoint);
      const path = translation.path(request);
      if (path === undefined) throw new ServiceError(endpoint.malformedId, { detail: 'The id is malformed.' });
      const body = endpoint.body ? JSON.stringify(translation.body(request)) : null;
      const headers: Record<string, string> = { ...settings.headers };
      headers.accept = 'application/json';
      headers['x-api-key'] = settings.apiKey ?? apiKeyToForward(caller);
      headers['x-request-id'] = requestId;
      if (body !== null) headers['content-type'] = 'application/json';
      if (idempotency !== undefined) headers['idempotency-key'] = idempotency.key;
      return {
        endpoint,
        path: basePath + path + queryOf(endpoint, request),
        headers,
        body,
        subject: () =>
          pathParameters(endpoint)
            .map((name) => `, ${name} ${Reflect.get(request, name)}`)
            .join(''),
        requestId,
        origin: {
          accountId: requestedAccount(request),
          keyId: caller.keyId,
          capability: endpoint.capability,
          target: path,
        },
        repeatable: endpoint.method === 'GET' || (actsOnce && idempotency !== undefined),
        idempotency,
      };
    },

    /** Never rejects. */
    send(
      { endpoint, path, headers, body, subject, idempotency }: PreparedCall,
      signal: AbortSignalLike,
    ): Promise<Success | CallFailure> {
      const read = (response: WholeResponse): Success | CallFailure => {
        if (response.headers[replayedHeader] === 'true') idempotency?.onReplayed();
        const redact = (text: string) => (ofService ?? redactorFor(headers['x-api-key'] ?? ''))(text);
        const told = { redact, subject };
        const outcome = readResponse(endpoint, translationOf(endpoint), response, now().getTime(), told);
        return outcome.kind !== 'success' && settings.apiKey !== undefined ? asGatewayFault(outcome) : outcome;
      };
      return pool.send({ method: endpoint.method, path, headers, body, signal }).then((sent) => {
        if (sent.kind === 'whole') {
          const codings = decodersOf(sent.headers['content-encoding']);
          if (codings.length === 0) return read(sent);
          return decoded(sent, codings).then((response) =>
            response === null ? tooLarge(sent.status) : read(response),
          );
        }
        const { status, cause } = sent;
        if (signal.aborted) return expiry(signal.reason, { sent: true });
        switch (unreadableResponse(cause)) {
          case 'too_large':
            return tooLarge(status);
          case 'not_http':
            return unexpectedResponse(status ?? 500, 'is not HTTP');
          case null:
            return connectionFailure(cause);
        }
      });
    },

    /**
     * Rejects unless the status is below 500. Keyless, to no path of the contract; not HEAD, after which undici closes.
     * @param over `calls` opens one of their connections, `probes` takes none from them
     */
    async probe(over: 'calls' | 'probes', signal: AbortSignalLike) {
      const { headers } = settings;
      const through = over === 'calls' ? pool : probes;
      const response = await through.send({ method: 'GET', path: `${basePath}/`, headers, body: null, signal });
      if (response.kind === 'whole') response.body.release();
      const { status } = response;
      if (response.kind === 'broken' && status === null) throw response.cause;
      if (status !== null && status >= 500) throw new Error(`The upstream service responded with ${status}`);
    },

    isTranslated: (endpoint: ContractEndpoint) => translationOf(endpoint).decode !== null,
    async close() {
      await Promise.all([pool.close(), probes.close()]);
    },
  };
}

/** In the order of the table, so that equal reads look equal. */
function queryOf(endpoint: ContractEndpoint, request: object): string {
  let query = '';
  for (const name in endpoint.query) {
    const value: unknown = Reflect.get(request, name);
    if (value === undefined) continue;
    const text = String(value);
    // A cursor that the service has sent: what callers send is well-formed.
    if (!text.isWellFormed()) {
      throw new ServiceError('invalid_parameters', { detail: `${name} has a lone surrogate: no URL can have it.` });
    }
    query += `${query === '' ? '?' : '&'}${name}=${encodeURIComponent(text)}`;
  }
  return query;
}

function requestedAccount(request: object): CallOrigin['accountId'] {
  const accountId: unknown = Reflect.get(request, 'account_id');
  return typeof accountId === 'string' ? accountId : null;
}
