/**
 * The REST face: the endpoints of the contract on the shared HTTP server. It checks in the order of the operations: key
 * → scope, both before the body is read; then the request itself → shape → account → resource → state.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Admit, keyHeaderOf } from '../auth/admission.ts';
import type { ContractEndpoint } from '../endpoint.ts';
import { ServiceError, toEnvelope } from '../errors.ts';
import type { Compress } from '../http/compression.ts';
import { type StaticDocument, sendDocument, staticDocument } from '../http/documents.ts';
import type { Idempotency } from '../http/idempotency.ts';
import { pathOf } from '../http/incoming-request.ts';
import { errorResponse } from '../http/server.ts';
import { shortened } from '../issues.ts';
import { authorize } from '../operation.ts';
import type { Ports } from '../ports.ts';
import type { RequestContext } from '../request-context.ts';
import { toAllowedError } from './allowed-errors.ts';
import { endpoints, prefixes } from './endpoints.ts';
import { openApiDocument } from './openapi.ts';
import type { RestRoute } from './request.ts';
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

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read; null for requests to no endpoint. */
    context: RequestContext | null;
  }
  interface FastifyContextConfig {
    endpoint?: ContractEndpoint;
  }
}

/** Serves the endpoints of the contract and the OpenAPI document, under each prefix. */
export function mountRest(server: FastifyInstance, options: RestOptions): void {
  server.decorateRequest('context', null);
  const description = staticDocument('application/json; charset=utf-8', JSON.stringify(openApiDocument()));
  for (const prefix of prefixes) {
    server.register(async (scope) => mountAt(scope, prefix, { ...options, description }), { prefix });
  }
}

interface MountOptions extends RestOptions {
  /** The OpenAPI document. */
  readonly description: StaticDocument;
}

function mountAt(
  scope: FastifyInstance,
  prefix: string,
  { ports, admit, idempotency, description, compress = null }: MountOptions,
): void {
  // Bodies are read as bytes whatever their content type: the errors about them are those of the endpoint.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));

  scope.addHook('onRequest', async (request) => {
    const { endpoint } = request.routeOptions.config;
    if (endpoint === undefined) return;
    const caller = await admit(request, keyHeaderOf);
    authorize(endpoint.operation, caller);
    request.context = { caller, requestId: request.id, signal: request.clientAborted };
  });
  if (compress !== null) scope.addHook('onSend', compressing(compress));
  scope.setErrorHandler((error, request, reply) => {
    const { endpoint } = request.routeOptions.config;
    const envelope = errorResponse(error, request, (failure) =>
      endpoint === undefined ? failure : toAllowedError(endpoint.name, failure),
    );
    return reply.status(envelope.status).send(envelope);
  });
  // The description of the service is no secret: it needs no key.
  scope.get(descriptionPath, (request, reply) => sendDocument(description, request, reply));
  scope.setNotFoundHandler((request, reply) => respondToUnknown(prefix, request, reply));

  for (const endpoint of endpoints) {
    scope.route<RestRoute>({
      method: endpoint.method,
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { endpoint },
      handler: (http, reply) => {
        const { context } = http;
        if (context === null) throw new Error('An endpoint was reached without authentication');
        return respond(endpoint, { http, context, ports, idempotency }, reply);
      },
    });
  }
}

/** Compresses what has no coding yet. */
const compressing =
  (compress: Compress) =>
  async ({ incoming }: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    if (typeof payload !== 'string' || reply.hasHeader('content-encoding')) return payload;
    const compressed = compress(incoming, payload);
    if (compressed === null) return payload;
    const bytes = await compressed.bytes;
    reply.header('content-encoding', compressed.coding).header('content-length', bytes.length);
    return bytes;
  };

/** The failure of a request of which only the request line is known, as the endpoint at that URL may report it. */
export function toAllowedErrorAt(failure: ServiceError, method: string, url: string): ServiceError {
  const path = pathOf({ url });
  const below = prefixes.flatMap((prefix) => (path.startsWith(`${prefix}/`) ? [path.slice(prefix.length)] : []));
  const endpoint = endpoints.find((each) => each.method === method && below.some((rest) => patternOf(each).test(rest)));
  return endpoint === undefined ? failure : toAllowedError(endpoint.name, failure);
}

/**
 * 404 for an unknown path. Another method of a known path is the contract's 400 `errors/malformed_request`, with `Allow`:
 * the contract has no 405, and a 404 would tell a client that what it wants to delete is gone.
 */
function respondToUnknown(prefix: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = pathOf(request).slice(prefix.length).replace(/\/$/, '');
  const methods = [...endpoints, { method: 'GET', path: descriptionPath }]
    .filter((endpoint) => patternOf(endpoint).test(path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  if (methods.length === 0) {
    throw new ServiceError('resource_not_found', {
      detail: `Nothing is served at ${request.method} ${shortened(`${prefix}${path}`)}.`,
    });
  }
  const allow = [...new Set(methods)].join(', ');
  const failure = new ServiceError('malformed_request', {
    detail: `The path does not support ${request.method}, only ${allow}.`,
  });
  return reply.status(failure.status).header('allow', allow).send(toEnvelope(failure, request.id));
}

const patternOf = ({ path }: Pick<ContractEndpoint, 'path'>): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
