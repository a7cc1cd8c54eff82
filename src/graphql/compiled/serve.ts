/**
 * The compiled path of a query: from the body that was received to the bytes of the response, without the executor. It
 * passes the same gates in the same order. Whatever it does not expect falls back to the executor, with the caller who was
 * admitted and the pages that were read, so that nothing is counted or fetched twice.
 */
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { Admit } from '../../auth/admission.ts';
import { ServiceError } from '../../errors.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { codingRefusal, type ShortCut } from '../../http/server.ts';
import type { CursorCodec } from '../../paging.ts';
import type { RequestContext } from '../../request-context.ts';
import { createSplicer, type Splice } from '../../splice/splicer.ts';
import type { DocumentOf } from '../cost/documents.ts';
import { endpoint } from '../endpoint.ts';
import { wantsPage } from '../graphiql/page.ts';
import { Fallback } from './fallback.ts';
import { contentTypeFor } from './media-type.ts';
import { createOperationCache, type OperationCacheOptions, valuesFor } from './operation-cache.ts';
import { type Parameters, readParameters } from './parameters.ts';
import { runCompiled } from './run.ts';
import { createSend } from './send.ts';

export interface CompiledOptions extends OperationCacheOptions {
  readonly admit: Admit;
  readonly cursors: CursorCodec;
  readonly documentOf: DocumentOf;
  readonly maxResponseBytes: number;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface CompiledOperations {
  /** Serves requests of GraphQL, or leaves them to the router. The log line says whether it did, or why not. */
  readonly shortCut: ShortCut;
  /** What was begun of a request that falls back: the caller, and the pages that were read. Undefined if nothing was. */
  begunOf(request: IncomingRequest): Promise<RequestContext> | undefined;
}

/** The limit is on an estimate (see response-size.ts), which is at most this many times the bytes of the response. */
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
  const { find, check, compiledFor } = createOperationCache({ ports, maxCost, introspection });
  const begun = new WeakMap<IncomingRequest, Promise<RequestContext>>();

  /** What a request asks for, before anything is known of its caller. @throws Fallback */
  function operationOf({ query, operationName, variables }: Parameters) {
    const operation = find(documentOf(query), operationName);
    const values = valuesFor(operation, variables);
    check(operation, values);
    return { operation, values };
  }

  async function begin(request: IncomingRequest): Promise<RequestContext> {
    const caller = await admit(request);
    return { caller, requestId: request.id, signal: request.clientAborted, responses: new Map() };
  }

  async function execute(
    { operation, values }: ReturnType<typeof operationOf>,
    context: RequestContext,
  ): Promise<Splice> {
    const splice = await runCompiled(compiledFor(operation, values), values, { ...context, ports, cursors }, splicer);
    if (splice.output().length * estimateFactor <= maxResponseBytes) return splice;
    splice.close();
    throw new Fallback('the response is large');
  }

  async function serve(request: IncomingRequest, contentType: string): Promise<boolean> {
    const { logFields } = request;
    let beginning: Promise<RequestContext> | undefined;
    try {
      const asked = operationOf(await readParameters(request));
      beginning = begin(request);
      send(request, contentType, await execute(asked, await beginning));
      logFields.compiled = 'yes';
      return true;
    } catch (error) {
      if (beginning !== undefined) begun.set(request, beginning);
      logFields.compiled = reasonOf(error, logger);
      return false;
    }
  }

  return {
    shortCut(request) {
      if (request.path !== endpoint || !isGraphQL(request)) return false;
      const { accept, 'graphql-cost': cost } = request.headers;
      const contentType = contentTypeFor(accept);
      if (contentType !== undefined && cost === undefined) return serve(request, contentType);
      request.logFields.compiled = 'headers';
      return false;
    },
    begunOf: (request) => begun.get(request),
  };
}

/** Whether a request is a query in the URL, which no browser opens as a page, or has a body of JSON. */
function isGraphQL({ raw: { method }, headers }: IncomingRequest): boolean {
  if (codingRefusal({ headers }) !== undefined) return false;
  if (method === 'GET') return !wantsPage({ method, headers });
  return method === 'POST' && /^application\/json(?: *; *charset=utf-8)?$/i.test(headers['content-type'] ?? '');
}

function reasonOf(error: unknown, logger: Pick<Logger, 'warn'>): string {
  if (error instanceof Fallback) return error.reason;
  if (error instanceof ServiceError) return error.type;
  if (error instanceof GraphQLError) return 'invalid';
  logger.warn({ err: error }, 'a compiled operation failed, and falls back to the executor');
  return 'failed';
}
