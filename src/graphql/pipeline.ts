/**
 * The way of every GraphQL request, whichever door it came in by: the stages in their order, each a gate that may respond;
 * then the first executor that does not decline; then the one place that makes a response of what came of it.
 */
import type { ExecutionResult } from 'graphql';
import { inSpan, type Tracer } from '../telemetry/telemetry.ts';
import { spanOf } from './documents/operation-facts.ts';
import type { Exchange, Executor, Outcome, Stage } from './exchange.ts';
import { type CompiledOptions, compiled } from './executors/compiled/executor.ts';
import { Declined } from './executors/declined.ts';
import { type GraphQLJsOptions, graphqlJs } from './executors/graphql-js.ts';
import { introspect } from './executors/introspect.ts';
import { type SubscribeOptions, subscribe } from './executors/subscribe.ts';
import {
  type Presented,
  type PresentedBody,
  present,
  presentResult,
  type ResponseOptions,
  refusal,
} from './presentation.ts';
import { type AdmitOptions, admit } from './stages/admit.ts';
import { authorize } from './stages/authorize.ts';
import { coerce } from './stages/coerce.ts';
import { type FindDocumentOptions, findDocument } from './stages/find-document.ts';
import { type KnowOperationOptions, knowOperation } from './stages/know-operation.ts';
import { type LimitOptions, limit } from './stages/limit.ts';
import { type LookUpOptions, lookUp } from './stages/look-up.ts';
import { readRequest } from './stages/read-request.ts';
import { validate } from './stages/validate.ts';

export interface PipelineOptions
  extends AdmitOptions,
    FindDocumentOptions,
    KnowOperationOptions,
    LimitOptions,
    LookUpOptions,
    CompiledOptions,
    SubscribeOptions,
    GraphQLJsOptions,
    ResponseOptions {
  readonly tracer: Tracer | null;
}

export const stages = {
  /** The parameters: an object of few entries and levels. */
  readRequest,
  /** The caller, if there is a key. Counts the request, so that whatever is refused behind it was counted. */
  admit,
  /** By text, hash or id; whether it may be executed; and whether all parameters are of GraphQL. */
  findDocument,
  /** Within the limits of a document, the operation that is chosen, by a method that it may have. */
  knowOperation,
  /** The cost, before validation, which takes longest for what costs most. */
  limit,
  validate,
  /** Who has no key may read the schema. */
  authorize,
  coerce,
  /** In the response cache. */
  lookUp,
} as const satisfies Record<string, (options: PipelineOptions) => Stage>;

export const executors = {
  compiled,
  introspect,
  subscribe,
  graphqlJs,
} as const satisfies Record<string, (options: PipelineOptions) => Executor>;

export interface Pipeline {
  /** Passes the stages. @returns null for an operation that is to be executed */
  pass(exchange: Exchange): Promise<Presented | null>;
  /** Executes an operation that has passed the stages. */
  execute(exchange: Exchange): Promise<Presented>;
  /** The response to a request that the door refuses. */
  refuse(error: unknown, exchange: Exchange): PresentedBody;
  /** The result of an event, or of a request that the door refuses, as clients see it. */
  presentResult(result: ExecutionResult, exchange: Exchange): ExecutionResult;
}

export function createPipeline(options: PipelineOptions): Pipeline {
  const gates = Object.values(stages).map((stage) => stage(options));
  const takers = Object.values(executors).map((executor) => executor(options));

  async function outcomeOf(exchange: Exchange): Promise<Outcome> {
    for (const execute of takers) {
      const outcome = await execute(exchange);
      if (!(outcome instanceof Declined)) return outcome;
    }
    throw new Error('No executor took the operation');
  }

  return {
    async pass(exchange) {
      try {
        for (const gate of gates) {
          const passing = gate(exchange);
          const outcome = passing instanceof Promise ? await passing : passing;
          if (outcome !== null) return present(outcome, exchange, options);
        }
        exchange.hasPassed = true;
        return null;
      } catch (error) {
        return refusal(error, exchange, options);
      }
    },
    async execute(exchange) {
      try {
        const { name, options: ofSpan } = spanOf(exchange.operation.facts);
        // A subscription lasts as long as its request, which has a span.
        const tracer = exchange.operation.isSubscription ? null : options.tracer;
        const outcome = await inSpan(tracer, name, ofSpan, () => outcomeOf(exchange));
        return present(outcome, exchange, options);
      } catch (error) {
        // What was executed is never executed again.
        return refusal(error, exchange, options);
      }
    },
    refuse: (error, exchange) => refusal(error, exchange, options),
    presentResult: (result, exchange) => presentResult(result, exchange, options),
  };
}
