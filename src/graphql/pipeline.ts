/**
 * The way of every GraphQL request by any door: stages in order, each of which may respond; then the first executor
 * that does not decline; then one place that makes the response.
 */

import type { ExecutionResult } from 'graphql';
import type { Admission } from '../auth/admission.ts';
import { inSpan, type Tracer } from '../telemetry/telemetry.ts';
import { spanOf } from './documents/known-documents.ts';
import type { Exchange, Executor, Outcome, Stage } from './exchange.ts';
import { type CompiledOptions, compiled } from './executors/compiled/run.ts';
import { Declined } from './executors/declined.ts';
import { type GraphQLJsOptions, graphqlJs } from './executors/graphql-js.ts';
import { introspect } from './executors/introspect.ts';
import { type SubscribeOptions, subscribe } from './executors/subscribe.ts';
import {
  type Presented,
  type PresentedBody,
  present,
  presentRefusal,
  presentResult,
  printStreamed,
  type ResponseOptions,
} from './presentation.ts';
import {
  admit,
  authorize,
  coerce,
  type FindDocumentOptions,
  findDocument,
  type KnowOperationOptions,
  knowOperation,
  type LimitOptions,
  type LookUpOptions,
  limit,
  lookUp,
  readRequest,
  validate,
} from './stages.ts';

export interface PipelineOptions
  extends Admission,
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
  /** An object of few entries and levels. */
  readRequest,
  /** The caller, if there is a key. Counts the request: refusals behind it are counted, too. */
  admit,
  /** By text, hash or id; whether it may be executed; and whether all parameters are GraphQL's. */
  findDocument,
  /** The chosen operation of a document within limits, by a method that it may have. */
  knowOperation,
  /** Before validation, which takes longest for the costliest. */
  limit,
  validate,
  /** The schema needs no key. */
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
  /** @returns null for an operation to execute */
  pass(exchange: Exchange): Promise<Presented | null>;
  execute(exchange: Exchange): Promise<Presented>;
  refuse(error: unknown, exchange: Exchange): PresentedBody;
  /** An event's result, or a door's refusal, for clients. */
  presentResult(result: ExecutionResult, exchange: Exchange): ExecutionResult;
  printStreamed(result: ExecutionResult, exchange: Exchange): Promise<PresentedBody>;
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

  function tracedOutcomeOf(exchange: Exchange): Promise<Outcome> {
    const { tracer } = options;
    // A subscription lasts as long as its request, which has a span.
    if (tracer === null || exchange.operation.isSubscription) return outcomeOf(exchange);
    const { name, options: ofSpan } = spanOf(exchange.operation.facts);
    return inSpan(tracer, name, ofSpan, () => outcomeOf(exchange));
  }

  return {
    async pass(exchange) {
      try {
        for (const gate of gates) {
          const passing = gate(exchange);
          const outcome = passing instanceof Promise ? await passing : passing;
          if (outcome !== null) return await present(outcome, exchange, options);
        }
        exchange.hasPassed = true;
        return null;
      } catch (error) {
        return presentRefusal(error, exchange, options);
      }
    },
    async execute(exchange) {
      try {
        const outcome = await tracedOutcomeOf(exchange);
        return await present(outcome, exchange, options);
      } catch (error) {
        // Nothing is executed twice.
        return presentRefusal(error, exchange, options);
      } finally {
        exchange.printed();
      }
    },
    refuse: (error, exchange) => presentRefusal(error, exchange, options),
    presentResult: (result, exchange) => presentResult(result, exchange, options),
    printStreamed: (result, exchange) => printStreamed(result, exchange, options),
  };
}
