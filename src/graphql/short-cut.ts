/**
 * What plain clients ask for is served ahead of the router and without Yoga: compiled, or else executed directly. Both pass
 * the same gates in the same order as the executor: a request is counted before its document is parsed. Whatever they do not
 * expect, and whatever is refused, falls back to it before anything is executed: with the caller who was admitted, so that
 * nothing is counted twice.
 */
import { type DocumentNode, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { apiKeyOf } from '../auth/admission.ts';
import { ServiceError } from '../errors.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import type { RequestContext } from '../request-context.ts';
import { compiledOperations } from './compiled/serve.ts';
import { rememberedCosts } from './cost/known-costs.ts';
import { directOperations } from './direct.ts';
import type { ExecutorOptions } from './executor.ts';
import { Fallback } from './fallback.ts';
import { contentTypeFor } from './media-type.ts';
import { readParameters } from './parameters.ts';
import type { RequestedOperation, Serve } from './serve.ts';
import { createValidity } from './validity.ts';

export interface ShortCutOptions extends Omit<ExecutorOptions, 'admitKeyless' | 'streams' | 'persistedQueries'> {
  /** The documents that what others send never pushes out of memory. */
  readonly trusted: ReadonlySet<DocumentNode>;
  /** Whether operations are compiled that can be. */
  readonly isCompiling: boolean;
  readonly logger: Logger;
}

export interface GraphQLShortCut {
  /** @returns false at once for a request that is not for it; or whether it has served it. It sends nothing if it has not. */
  readonly shortCut: (request: IncomingRequest) => false | Promise<boolean>;
  /** The context of a request that falls back once its caller was admitted, with the pages that were read. */
  admittedContextOf(request: IncomingRequest): Promise<RequestContext> | undefined;
}

export function graphqlShortCut({
  admit,
  isCompiling,
  logger,
  limits,
  findDocument,
  trusted,
  ...executing
}: ShortCutOptions): GraphQLShortCut {
  const options = {
    ...executing,
    ...limits,
    costOf: rememberedCosts(executing.schema, trusted),
    refusalOf: createValidity(executing.schema, limits.introspection),
  };
  const compiled = isCompiling ? compiledOperations({ ...options, trusted }) : null;
  const direct = directOperations({ ...options, suggestions: limits.introspection, logger });
  const admitted = new WeakMap<IncomingRequest, Promise<RequestContext>>();

  async function admitRequest(request: IncomingRequest): Promise<RequestContext> {
    const caller = await admit(request);
    const whenClosed = (callback: () => void) => request.whenClosed(callback);
    return { caller, requestId: request.id, signal: request.clientAborted, whenClosed, responses: new Map() };
  }

  async function serve(request: IncomingRequest, contentType: string): Promise<boolean> {
    const parameters = await readParameters(request, findDocument).catch((error: unknown) => {
      if (compiled !== null) request.facts.compiled = reasonOf(error, logger);
      return null;
    });
    if (parameters === null) return false;
    const admission = admitRequest(request);
    admitted.set(request, admission);
    const context = await admission.catch((error: unknown) => {
      if (compiled !== null) request.facts.compiled = reasonOf(error, logger);
      return null;
    });
    if (context === null) return false;
    const operation = { request, parameters, contentType, context };
    if (compiled !== null) {
      const reason = await fallbackOf(compiled, operation);
      request.facts.compiled = reason ?? 'yes';
      if (reason === null) return true;
      if (finalReasons.has(reason)) return false;
    }
    return (await fallbackOf(direct, operation)) === null;
  }

  /** Serves an operation. @returns why it falls back; null if it was served */
  const fallbackOf = (serveOperation: Serve, operation: RequestedOperation): Promise<string | null> =>
    serveOperation(operation).then(
      () => null,
      (error: unknown) => reasonOf(error, logger),
    );

  return {
    shortCut(request) {
      if (!isGraphQL(request)) return false;
      const { accept, 'graphql-cost': cost } = request.headers;
      const contentType = contentTypeFor(accept);
      // What needs no key is introspection, and is not served here.
      const hasKey = Boolean(apiKeyOf(request));
      if (hasKey && contentType !== undefined && cost === undefined) return serve(request, contentType);
      if (compiled !== null) request.facts.compiled = hasKey ? 'headers' : 'no key';
      return false;
    },
    admittedContextOf: (request) => admitted.get(request),
  };
}

/** The reasons for which the other path would refuse an operation too. */
const finalReasons: ReadonlySet<string> = new Set(['invalid', 'introspection', 'cost']);

/** Whether a request is a query in the URL, or has a body of JSON. */
function isGraphQL({ method, headers }: IncomingRequest): boolean {
  return method === 'GET' || /^application\/json(?: *; *charset=utf-8)?$/i.test(headers['content-type'] ?? '');
}

function reasonOf(error: unknown, logger: Pick<Logger, 'warn'>): string {
  if (error instanceof Fallback) return error.reason;
  if (error instanceof ServiceError) return error.type;
  if (error instanceof GraphQLError) return 'invalid';
  logger.warn({ err: error }, 'an operation failed ahead of the router, and falls back to the executor');
  return 'failed';
}
