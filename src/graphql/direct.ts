/**
 * Queries and mutations as graphql-js executes them, straight from the request to the socket. What graphql-js or a limit
 * refuses is left to the executor, which says why; what was executed is never left to anybody.
 */
import { type ExecutionArgs, type ExecutionResult, execute, type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Logger } from 'pino';
import { type ServiceError, toEnvelope, unexpectedError } from '../errors.ts';
import type { Compress } from '../http/compression.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import type { RequestContext } from '../request-context.ts';
import { inSpan, type Tracer } from '../telemetry/telemetry.ts';
import type { DocumentOf } from './cost/documents.ts';
import { isIntrospection } from './cost/introspection.ts';
import type { CostOf } from './cost/known-costs.ts';
import { chosenOperation } from './cost/operation-cost.ts';
import { errorBody, withoutStatus } from './error-extensions.ts';
import { Fallback } from './fallback.ts';
import { createContext, type GraphQLContext } from './graphql-context.ts';
import { operationFacts, spanOf } from './operation-facts.ts';
import { withCost } from './plugins/operation-limits.ts';
import { errorsOfVariables } from './plugins/variable-limits.ts';
import { presentResult, type ResponseOptions } from './presentation.ts';
import type { CacheLookup, ResponseCache } from './response-cache.ts';
import { sendBody, sendResponse } from './send-response.ts';
import type { RequestedOperation, Serve } from './serve.ts';
import type { RefusalOf } from './validity.ts';

export interface DirectOptions extends Pick<GraphQLContext, 'ports' | 'cursors'>, ResponseOptions {
  readonly schema: GraphQLSchema;
  readonly documentOf: DocumentOf;
  readonly costOf: CostOf;
  readonly refusalOf: RefusalOf;
  readonly maxCost: number;
  readonly logger: Logger;
  readonly tracer?: Tracer | null;
  /** Null, or nothing, where no response is compressed. */
  readonly compress?: Compress | null;
  /** Null, or nothing, where no response is cached. */
  readonly responseCache?: ResponseCache | null;
}

/** Serves what is asked for with graphql-js. */
export function directOperations(options: DirectOptions): Serve {
  const { schema, documentOf, costOf, refusalOf, maxCost, logger } = options;
  const { tracer = null, compress = null, responseCache = null } = options;

  /** The operation, within its limits. @throws Fallback, GraphQLError or LimitError */
  function operationOf({ request, parameters: { query, operationName, variables } }: RequestedOperation) {
    const document = documentOf(query);
    const operation = chosenOperation(document, operationName);
    if (operation === undefined) throw new Fallback('no operation');
    Object.assign(request.facts, operationFacts(operation, query));
    if (!mayExecute(operation.operation, request.raw.method) || isIntrospection(operation))
      throw new Fallback(operation.operation);
    const cost = costOf(document, operation, variables);
    request.facts.cost = cost;
    if (cost > maxCost) throw new Fallback('cost');
    const refusal = refusalOf(document);
    if (refusal !== null) throw refusal;
    return { document, operation, cost, isMutation: operation.operation === OperationTypeNode.MUTATION };
  }

  return async (requested) => {
    const { request, parameters, contentType, context } = requested;
    const { document, operation, cost, isMutation } = operationOf(requested);
    const { query: text, operationName, variables } = parameters;
    const asked: ExecutionArgs = { schema, document, operationName, variableValues: variables };
    if (errorsOfVariables(asked).length > 0) throw new Fallback('variables');
    const cached =
      responseCache === null || isMutation
        ? null
        : await responseCache.lookup({ request, caller: context.caller, text, document, operation, variables });
    if (cached?.body) return sendResponse(request, contentType, cached.body, { compress });
    const args = { ...asked, contextValue: createContext(options, contextFor(context, isMutation, cached)) };
    const { name, options: ofSpan } = spanOf(request.facts);
    let isExecuted = false;
    try {
      const result = await inSpan(tracer, name, ofSpan, async () => {
        const executed = await execute(args);
        // Without data nothing was executed, as a variable has no value.
        isExecuted = executed.data !== undefined;
        return executed;
      });
      if (!isExecuted) throw new Fallback('variables');
      const presented = presentResult(result, isMutation, () => request, options);
      const response = withCost(presented, { requestedCost: cost, limit: maxCost }, false);
      const body = bodyOf(response);
      if (response.errors === undefined) cached?.set(body);
      await sendResponse(request, contentType, body, { status: statusOf(response), compress });
    } catch (error) {
      if (!isExecuted) throw error;
      // It must not fall back: what was executed would be executed again.
      logger.error({ err: error, reqId: request.id }, 'a response could not be made');
      sendFailure(request, contentType, unexpectedError(error));
    }
  };
}

function contextFor(context: RequestContext, isMutation: boolean, cached: CacheLookup | null): RequestContext {
  // What was read must not be handed over once a mutation has changed it.
  if (isMutation) return { ...context, responses: undefined };
  return cached === null ? context : { ...context, generation: cached.generation };
}

/** Whether an operation can be executed for a request with this method. */
const mayExecute = (operation: OperationTypeNode, method: string | undefined): boolean =>
  operation === OperationTypeNode.QUERY || (operation === OperationTypeNode.MUTATION && method === 'POST');

const bodyOf = ({ errors = [], ...result }: ExecutionResult): string =>
  JSON.stringify(errors.length === 0 ? result : { errors: errors.map(withoutStatus), ...result });

/** Says that a response failed, or breaks it off where it has begun. */
function sendFailure(request: IncomingRequest, contentType: string, failure: ServiceError): void {
  const { id, facts, response } = request;
  facts.errors = [failure.type];
  if (response.headersSent) response.destroy();
  else sendBody(request, contentType, JSON.stringify(errorBody(toEnvelope(failure, id))), failure.status);
}

/** The status of an error that fails the whole request, or 200. */
function statusOf({ errors = [] }: ExecutionResult): number {
  const statuses = errors.map(({ extensions }) => (isStatus(extensions.http) ? extensions.http.status : 0));
  return Math.max(0, ...statuses) || 200;
}

const isStatus = (http: unknown): http is { readonly status: number } =>
  typeof http === 'object' && http !== null && 'status' in http && typeof http.status === 'number';
