/**
 * The short way of a query: from the body that was received to the bytes of the response, without the executor. It passes
 * the same gates in the same order as Yoga's way. Whatever it does not expect it leaves to that way, with the caller who
 * was admitted and the pages that were read, so that nothing is counted or fetched twice.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import type { Admit } from '../../auth/admission.ts';
import { ServiceError } from '../../errors.ts';
import { isShallow } from '../../json-limits.ts';
import type { CursorCodec } from '../../paging.ts';
import type { RequestContext } from '../../request-context.ts';
import { createSplicer } from '../../splice/splicer.ts';
import type { DocumentOf } from '../cost/documents.ts';
import type { Values } from './arguments.ts';
import { contentTypeFor } from './media-type.ts';
import { Left } from './parts.ts';
import { createPlans, type PlanOptions, valuesFor } from './plans.ts';
import { Refused, runCompiled } from './run.ts';
import { createSend } from './send.ts';

export interface CompiledOptions extends PlanOptions {
  readonly admit: Admit;
  readonly cursors: CursorCodec;
  readonly documentOf: DocumentOf;
  readonly maxResponseBytes: number;
}

/** How the compiled way left a request. */
export type Outcome =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'left';
      /** Why, for the log line. */
      readonly reason: string;
      /** What was begun of the request: the caller, and the pages that were read. */
      readonly begun?: Promise<RequestContext>;
    };

/** Sends the response of a POST request, or leaves it. */
export type CompiledOperations = (request: FastifyRequest, reply: FastifyReply) => Promise<Outcome>;

/** A response may be this much smaller in bytes than the estimate that its limit is about (see response-size.ts). */
const estimateFactor = 8;

export function compiledOperations({
  ports,
  admit,
  cursors,
  documentOf,
  maxCost,
  introspection,
  maxResponseBytes,
}: CompiledOptions): CompiledOperations {
  const splicer = createSplicer();
  const send = createSend();
  const { find, requireCost, planFor } = createPlans({ ports, maxCost, introspection });

  async function begin(request: FastifyRequest): Promise<RequestContext> {
    const caller = await admit(request);
    return { caller, requestId: request.id, signal: request.clientAborted, responses: new Map() };
  }

  async function serve(
    request: FastifyRequest,
    reply: FastifyReply,
    started: (begun: Promise<RequestContext>) => void,
  ) {
    const contentType = contentTypeFor(request.headers.accept);
    if (contentType === undefined || request.headers['graphql-cost'] !== undefined) throw new Left('headers');
    const { query, operationName, variables } = parametersOf(request.body);
    const document = documentOf(query);
    const operation = find(document, operationName, variables);
    const values = valuesFor(operation, variables);
    requireCost(operation, values);
    const begun = begin(request);
    started(begun);
    const context = { ...(await begun), ports, cursors };
    const splice = await runCompiled(planFor(operation, values), values, context, splicer);
    if (splice.output().length * estimateFactor > maxResponseBytes) {
      splice.close();
      throw new Left('the response is large');
    }
    send(reply, contentType, splice);
  }

  return async (request, reply) => {
    let begun: Promise<RequestContext> | undefined;
    try {
      await serve(request, reply, (context) => {
        begun = context;
      });
      return { kind: 'sent' };
    } catch (error) {
      return { kind: 'left', reason: reasonOf(error, request), ...(begun === undefined ? {} : { begun }) };
    }
  };
}

/** The parameters of a request that Yoga would accept, too. @throws Left for any other */
function parametersOf(body: unknown) {
  if (typeof body !== 'object' || body === null) throw new Left('no request');
  const {
    query,
    operationName = null,
    variables = null,
    extensions = null,
    ...others
  } = body as Record<string, unknown>;
  const isRequest =
    typeof query === 'string' &&
    (operationName === null || typeof operationName === 'string') &&
    typeof variables === 'object' &&
    !Array.isArray(variables) &&
    extensions === null &&
    Object.keys(others).length === 0 &&
    isShallow(body);
  if (!isRequest) throw new Left('parameters');
  return { query, operationName: operationName as string | null, variables: (variables ?? {}) as Values };
}

function reasonOf(error: unknown, { log }: FastifyRequest): string {
  if (error instanceof Left) return error.reason;
  if (error instanceof Refused) return error.message;
  if (error instanceof ServiceError) return error.type;
  if (error instanceof GraphQLError) return 'invalid';
  log.warn({ err: error }, 'a compiled operation failed, and is executed by graphql-js');
  return 'failed';
}
