/**
 * The short way of a query: from the body that was received to the bytes of the response, without the executor. It passes
 * the same gates in the same order as Yoga's way. Whatever it does not expect it leaves to that way, with the caller who
 * was admitted and the pages that were read, so that nothing is counted or fetched twice.
 */
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { Admit } from '../../auth/admission.ts';
import { ServiceError } from '../../errors.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { codingRefusal, type ShortCut } from '../../http/server.ts';
import { isShallow } from '../../json-limits.ts';
import type { CursorCodec } from '../../paging.ts';
import type { RequestContext } from '../../request-context.ts';
import { createSplicer } from '../../splice/splicer.ts';
import type { DocumentOf } from '../cost/documents.ts';
import { endpoint } from '../endpoint.ts';
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
  readonly logger: Pick<Logger, 'warn'>;
}

export interface CompiledOperations {
  /** Serves POST requests, or leaves them to the router. The log line says whether it did, or why not. */
  readonly shortCut: ShortCut;
  /** What was begun of a request that was left: the caller, and the pages that were read. Undefined if nothing was. */
  begunOf(request: IncomingRequest): Promise<RequestContext> | undefined;
}

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
  logger,
}: CompiledOptions): CompiledOperations {
  const splicer = createSplicer();
  const send = createSend();
  const { find, requireCost, planFor } = createPlans({ ports, maxCost, introspection });

  const begun = new WeakMap<IncomingRequest, Promise<RequestContext>>();

  async function begin(request: IncomingRequest): Promise<RequestContext> {
    const caller = await admit(request);
    return { caller, requestId: request.id, signal: request.clientAborted, responses: new Map() };
  }

  /** @throws Left, or whatever else keeps it from being served */
  async function serve(request: IncomingRequest, contentType: string): Promise<void> {
    const { query, operationName, variables } = parametersOf(await request.json());
    const document = documentOf(query);
    const operation = find(document, operationName, variables);
    const values = valuesFor(operation, variables);
    requireCost(operation, values);
    const beginning = begin(request);
    begun.set(request, beginning);
    const context = { ...(await beginning), ports, cursors };
    const splice = await runCompiled(planFor(operation, values), values, context, splicer);
    if (splice.output().length * estimateFactor > maxResponseBytes) {
      splice.close();
      throw new Left('the response is large');
    }
    send(request, contentType, splice);
  }

  async function attempt(request: IncomingRequest, contentType: string): Promise<boolean> {
    try {
      await serve(request, contentType);
      request.logFields.compiled = 'yes';
      return true;
    } catch (error) {
      request.logFields.compiled = reasonOf(error, logger);
      return false;
    }
  }

  return {
    shortCut(request) {
      if (request.raw.method !== 'POST' || request.path !== endpoint || !hasJson(request)) return false;
      const { accept, 'graphql-cost': cost } = request.headers;
      const contentType = contentTypeFor(accept);
      if (contentType !== undefined && cost === undefined) return attempt(request, contentType);
      request.logFields.compiled = 'headers';
      return false;
    },
    begunOf: (request) => begun.get(request),
  };
}

const hasJson = ({ headers }: IncomingRequest): boolean =>
  /^application\/json(?: *; *charset=utf-8)?$/i.test(headers['content-type'] ?? '') &&
  codingRefusal({ headers }) === undefined;

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

function reasonOf(error: unknown, logger: Pick<Logger, 'warn'>): string {
  if (error instanceof Left) return error.reason;
  if (error instanceof Refused) return error.message;
  if (error instanceof ServiceError) return error.type;
  if (error instanceof GraphQLError) return 'invalid';
  logger.warn({ err: error }, 'a compiled operation failed, and is executed by graphql-js');
  return 'failed';
}
