/** How an endpoint answers: from its operation, or from what was answered before under the same `Idempotency-Key`. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { answerError } from '../http.ts';
import type { Idempotency } from '../idempotency.ts';
import type { Asker } from '../operation.ts';
import type { Endpoint } from './endpoint.ts';
import { answerable } from './errors.ts';
import { flatRequest } from './request.ts';

/** Marks an answer that was given before. */
export const replayedHeader = 'idempotency-replayed';

export async function answer(
  endpoint: Endpoint,
  {
    http,
    asker,
    idempotency,
  }: { readonly http: FastifyRequest; readonly asker: Asker; readonly idempotency: Idempotency | undefined },
  reply: FastifyReply,
): Promise<FastifyReply> {
  const request = flatRequest(endpoint, http);
  const key = endpoint.body ? idempotencyKeyOf(http) : undefined;
  if (key === undefined || idempotency === undefined) {
    const forwarded = key === undefined ? asker : { ...asker, idempotencyKey: key };
    return reply.status(endpoint.status).send(await endpoint.operation(forwarded, request));
  }
  const { caller, signal } = asker;
  const { answer, replayed } = await idempotency.once({ caller, endpoint: endpoint.name, key, request, signal }, () =>
    // A client that goes away comes back for the answer: the work is not given up with its connection.
    outcome(endpoint, http, { ...asker, signal: new AbortController().signal }, request),
  );
  if (replayed) reply.header(replayedHeader, 'true');
  return reply.status(answer.status).type('application/json').send(answer.body);
}

/** Success or failure as the text that is sent, and kept. */
async function outcome(endpoint: Endpoint, http: FastifyRequest, asker: Asker, request: object) {
  try {
    return { status: endpoint.status, body: JSON.stringify(await endpoint.operation(asker, request)) };
  } catch (error) {
    const envelope = answerError(error, http, (failure) => answerable(endpoint.name, failure));
    return { status: envelope.status, body: JSON.stringify(envelope) };
  }
}

function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key.length >= 1 && key.length <= 255) return key;
  throw new ServiceError('invalid_parameters', { detail: 'Idempotency-Key must have 1 to 255 characters.' });
}
