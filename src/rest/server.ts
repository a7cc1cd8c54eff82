/**
 * The REST face: the endpoints of the contract on the shared HTTP server. It checks in the order of the operations: key
 * → scope, both before the body is read; then the request itself → shape → account → resource → state.
 */
import { type Admit, keyHeaderOf } from '../auth/admission.ts';
import type { Compress } from '../http/compression.ts';
import { sendDocument, staticDocument } from '../http/documents.ts';
import type { Refuse } from '../http/refusals.ts';
import type { Route } from '../http/router.ts';
import { jsonType, sendCompressible } from '../http/send.ts';
import type { ContractEndpoint } from '../kernel/endpoint.ts';
import { toEnvelope } from '../kernel/errors.ts';
import type { Idempotency } from '../kernel/idempotency.ts';
import { authorize } from '../kernel/operation.ts';
import type { Ports } from '../kernel/ports.ts';
import { toAllowedError } from './allowed-errors.ts';
import { endpoints, prefixes } from './endpoints.ts';
import { openApiDocument } from './openapi.ts';
import { respond } from './responder.ts';

const descriptionPath = '/openapi.json';

export interface RestOptions {
  readonly ports: Ports;
  readonly admit: Admit;
  /** Honours `Idempotency-Key`. Without it the key is passed on to the ports. */
  readonly idempotency?: Idempotency | undefined;
  /** Null, or nothing, where no response is compressed. */
  readonly compress?: Compress | null;
}

/** The endpoints of the contract and the OpenAPI document, under each prefix. */
export function restRoutes(options: RestOptions): Route[] {
  const description = staticDocument(jsonType, JSON.stringify(openApiDocument()));
  // The contract has no 405, and a 404 would tell a client that what it wants to delete is gone: another method of a known path
  // is its 400, with `Allow`.
  const refuse: Refuse = (request, failure) =>
    sendCompressible(
      request,
      failure.status,
      jsonType,
      JSON.stringify(toEnvelope(failure, request.id)),
      options.compress ?? null,
    );
  return prefixes.flatMap((prefix) => [
    ...endpoints.map((endpoint) => routeOf(endpoint, prefix, refuse, options)),
    // The description of the service is no secret: it needs no key.
    {
      method: 'GET',
      path: `${prefix}${descriptionPath}`,
      refuse,
      serve: (request) => sendDocument(description, request),
    },
  ]);
}

function routeOf(
  endpoint: ContractEndpoint,
  prefix: string,
  refuse: Refuse,
  { ports, admit, idempotency, compress = null }: RestOptions,
): Route {
  return {
    method: endpoint.method,
    path: `${prefix}${endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    refuse,
    adjust: (failure) => toAllowedError(endpoint.name, failure),
    async serve(http, parameters) {
      const caller = await admit(http, keyHeaderOf);
      authorize(endpoint.operation, caller);
      const context = { caller, requestId: http.id, signal: http.clientAborted };
      const body = await respond(endpoint, { http, parameters, context, ports, idempotency });
      await sendCompressible(http, endpoint.status, jsonType, body, compress);
    },
  };
}
