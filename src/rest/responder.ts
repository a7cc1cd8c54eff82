/** How an endpoint answers: from its operation, or from what was answered before under the same `Idempotency-Key`. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../endpoint.ts';
import { ServiceError } from '../errors.ts';
import type { Idempotency } from '../http/idempotency.ts';
import type { Ports } from '../ports.ts';
import type { RequestContext } from '../request-context.ts';
import { flatRequest } from './request.ts';

/** Marks an answer that was given before. */
export const replayedHeader = 'idempotency-replayed';

interface Exchange {
  readonly http: FastifyRequest;
  /** The caller, whose scope has been checked. */
  readonly context: RequestContext;
  readonly ports: Ports;
  readonly idempotency: Idempotency | undefined;
}

export async function answer(endpoint: Endpoint, exchange: Exchange, reply: FastifyReply): Promise<FastifyReply> {
  const { http, context, ports, idempotency } = exchange;
  const request = flatRequest(endpoint, http);
  const key = endpoint.body ? idempotencyKeyOf(http) : undefined;
  if (key === undefined || idempotency === undefined) {
    const forwarded = key === undefined ? context : { ...context, idempotencyKey: key };
    return reply.status(endpoint.status).send(await endpoint.operation.perform(ports, forwarded, request));
  }
  const { caller, signal } = context;
  const { body, replayed } = await idempotency.once(
    { caller, endpoint: endpoint.name, key, request, signal },
    async () => {
      // A client that disconnects comes back for the response: the work is not given up with its connection.
      const lasting = { ...context, signal: new AbortController().signal };
      return JSON.stringify(await endpoint.operation.perform(ports, lasting, request));
    },
  );
  if (replayed) reply.header(replayedHeader, 'true');
  return reply.status(endpoint.status).type('application/json').send(body);
}

function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key.length >= 1 && key.length <= 255) return key;
  throw new ServiceError('invalid_parameters', { detail: 'Idempotency-Key must have 1 to 255 characters.' });
}
