/**
 * The REST face: the endpoints of the contract on the shared HTTP server. The order of its checks is that of the
 * operations: key → scope, before a body is read at all; then the request itself → shape → account → resource → state.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admit } from '../auth/admission.ts';
import type { Endpoint } from '../endpoint.ts';
import { ServiceError, toEnvelope } from '../errors.ts';
import type { Idempotency } from '../http/idempotency.ts';
import { errorResponse } from '../http/server.ts';
import { authorize } from '../operation.ts';
import type { Ports } from '../ports.ts';
import type { RequestContext } from '../request-context.ts';
import { answerable } from './allowed-errors.ts';
import { endpoints, prefixes } from './endpoints.ts';
import { openApiDocument } from './openapi.ts';
import { answer } from './responder.ts';

const descriptionPath = '/openapi.json';

export interface RestOptions {
  readonly ports: Ports;
  readonly admit: Admit;
  /** Honours `Idempotency-Key`; without it the key is passed on. */
  readonly idempotency?: Idempotency | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; set before the body is read. */
    context: RequestContext | null;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

export function mountRest(server: FastifyInstance, options: RestOptions): void {
  server.decorateRequest('context', null);
  const description = JSON.stringify(openApiDocument());
  for (const prefix of prefixes) {
    server.register(async (scope) => mountAt(scope, prefix, { ...options, description }), { prefix });
  }
}

interface MountOptions extends RestOptions {
  /** The OpenAPI document as it is sent. */
  readonly description: string;
}

function mountAt(
  scope: FastifyInstance,
  prefix: string,
  { ports, admit, idempotency, description }: MountOptions,
): void {
  // Bodies are read as bytes whatever they claim to be: what is wrong with one is said in the endpoint's own terms.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));

  scope.addHook('onRequest', async (request) => {
    const endpoint = request.routeOptions.config.endpoint;
    if (endpoint === undefined) return;
    const caller = await admit(request);
    authorize(endpoint.operation, caller);
    request.context = { caller, requestId: request.id, signal: request.clientAborted };
  });
  scope.setErrorHandler((error, request, reply) => {
    const endpoint = request.routeOptions.config.endpoint;
    const envelope = errorResponse(error, request, (failure) =>
      endpoint === undefined ? failure : answerable(endpoint.name, failure),
    );
    return reply.status(envelope.status).send(envelope);
  });
  // The description of the service is no secret: it needs no key.
  scope.get(descriptionPath, (_request, reply) => reply.type('application/json').send(description));
  scope.setNotFoundHandler((request, reply) => answerUnknown(prefix, request, reply));

  for (const endpoint of endpoints) {
    scope.route({
      method: endpoint.method,
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { endpoint },
      handler: (request, reply) =>
        answer(endpoint, { http: request, context: request.context as RequestContext, ports, idempotency }, reply),
    });
  }
}

/** The failure of a request of which only the request line is known, as the endpoint there may answer it. */
export function asEndpointAnswers(failure: ServiceError, method: string, url: string): ServiceError {
  const path = url.split('?', 1)[0] as string;
  const below = prefixes.flatMap((prefix) => (path.startsWith(`${prefix}/`) ? [path.slice(prefix.length)] : []));
  const endpoint = endpoints.find((each) => each.method === method && below.some((rest) => patternOf(each).test(rest)));
  return endpoint === undefined ? failure : answerable(endpoint.name, failure);
}

/** A path that is served with other methods is 405 with `Allow`; any other is 404. */
function answerUnknown(prefix: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = (request.url.split('?', 1)[0] as string).slice(prefix.length).replace(/\/$/, '');
  const allowed = [...endpoints, { method: 'GET', path: descriptionPath }]
    .filter((endpoint) => patternOf(endpoint).test(path))
    .map(({ method }) => method);
  if (allowed.length === 0) {
    throw new ServiceError('resource_not_found', {
      detail: `There is nothing at ${request.method} ${prefix}${path}.`,
    });
  }
  const allow = [...new Set(allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].join(', ');
  const failure = new ServiceError('malformed_request', {
    detail: `${request.method} is not a method of this path: it has ${allow}.`,
    status: 405,
  });
  return reply.status(405).header('allow', allow).send(toEnvelope(failure, request.id));
}

const patternOf = ({ path }: Pick<Endpoint, 'path'>): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
