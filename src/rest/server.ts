/** REST on the shared HTTP server: key → scope, before the body is read, then shape → account → resource → state. */
import { type Admit, keyHeaderOf } from '../auth/admission.ts';
import type { Compress } from '../http/compression.ts';
import { type StaticDocument, sendDocument, staticDocument } from '../http/documents.ts';
import type { Route } from '../http/router.ts';
import { jsonType, type Refuse, sendCompressible } from '../http/send.ts';
import { requireScope } from '../kernel/caller.ts';
import type { ContractEndpoint } from '../kernel/endpoint.ts';
import { toEnvelope } from '../kernel/errors.ts';
import type { Idempotency } from '../kernel/idempotency.ts';
import { type FairTurns, turnsOfRequest } from '../kernel/lib/fair-turns.ts';
import { stringify } from '../kernel/lib/json-text.ts';
import type { Places } from '../kernel/places.ts';
import type { Ports } from '../kernel/ports.ts';
import { nothingSpent, Printing, type RequestContext } from '../kernel/request-context.ts';
import { toAllowedError } from './allowed-errors.ts';
import { endpoints, prefixes } from './endpoints.ts';
import { openApiDocument } from './openapi.ts';
import { respond } from './responder.ts';

/** Weight of each piece of a read, as that of a list of GraphQL: what is read, shown and printed is not known beforehand. */
const weightOfRead = 1_000;

const descriptionPath = '/openapi.json';

interface RestOptions {
  readonly ports: Ports;
  readonly admit: Admit;
  readonly turns: FairTurns;
  readonly places: Places;
  /** Without it, `Idempotency-Key` goes to the ports. */
  readonly idempotency?: Idempotency | undefined;
  readonly compress?: Compress | null;
}

export function restRoutes(options: RestOptions): Route[] {
  let description: StaticDocument | undefined;
  // The contract has no 405, and a 404 would say that the resource is gone: another method of a known path is its 400,
  // with `Allow`.
  const refuse: Refuse = (request, failure) =>
    sendCompressible(
      request,
      failure.status,
      jsonType,
      stringify(toEnvelope(failure, request.id)),
      options.compress ?? null,
    );
  return prefixes.flatMap((prefix) => [
    ...endpoints.map((endpoint) => routeOf(endpoint, prefix, refuse, options)),
    // Keyless: the description is no secret.
    {
      method: 'GET',
      path: `${prefix}${descriptionPath}`,
      refuse,
      serve: (request) => {
        description ??= staticDocument(jsonType, JSON.stringify(openApiDocument()));
        return sendDocument(description, request);
      },
    },
  ]);
}

function routeOf(
  endpoint: ContractEndpoint,
  prefix: string,
  refuse: Refuse,
  { ports, admit, turns, places, idempotency, compress = null }: RestOptions,
): Route {
  return {
    method: endpoint.method,
    path: `${prefix}${endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    refuse,
    adjust: (failure) => toAllowedError(endpoint.name, failure),
    async serve(http, parameters) {
      const caller = await admit(http, keyHeaderOf);
      requireScope(caller, endpoint.operation.scope);
      const printing = new Printing();
      const context: RequestContext = {
        caller,
        requestId: http.id,
        spent: nothingSpent(),
        signal: http.clientAborted,
        turn: turnsOfRequest(turns, caller.keyId, endpoint.method === 'GET' ? weightOfRead : 0),
        whenPrinted: printing.whenPrinted,
      };
      const kind = endpoint.method === 'GET' ? 'query' : 'mutation';
      const enter = () => places.take(caller.keyId, kind, () => http.clientAborted);
      const asked = { http, parameters, context, ports, idempotency, enter };
      const body = await respond(endpoint, asked).finally(() => printing.end());
      await sendCompressible(http, endpoint.status, jsonType, body, compress);
    },
  };
}
