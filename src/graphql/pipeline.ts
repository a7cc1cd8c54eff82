/**
 * The way of every GraphQL request by any door: stages in order, each of which may respond; then the first executor
 * that does not decline; then one place that makes the response.
 *
 *   http/server.ts       takes the requests of a connection one after the other, with an id and a log line each
 *   http/router.ts       finds the route; headers and upgrades may be refused then, and preflights answered
 *   server.ts            serves GraphiQL to browsers, refuses content codings and media types
 *   doors/               Yoga, whose plugin calls this for JSON and streams, or the messages of a WebSocket
 *   exchange.ts          is the record of the request, for all that follows
 *   stages.ts            pass it, respond, or throw a refusal, in the order of `stages` below; the body is read within its
 *                        bounds (http/request-bodies.ts), in its turn, once the request is counted
 *   kernel/places.ts     lets so many operations of one caller be executed at once
 *   executors/           an executor declines before it changes anything; pages that it has read stay in the exchange
 *     compiled/            lists of ports as JSON, printed by splice/, without resolvers of their items
 *     subscribe.ts         streams
 *     resolving/           resolvers, each of which runs an operation of its capability
 *   response-cache.ts    stores a response without errors under the generation that `lookUp` found
 *   presentation.ts      makes the response: errors, size, cost
 *   doors/json-response.ts  compresses JSON, or holds the kernel that has it until http/incoming-request.ts has sent it
 *
 * Once executed, `printed` of the exchange releases the pages, and the budget of bytes, that the request holds. Ports are
 * wrapped in app/app.ts: in spans, and in turns, so that no key holds the event loop; the compiled executor takes turns itself.
 */

import type { ExecutionResult } from 'graphql';
import type { Admission } from '../auth/admission.ts';
import type { LeavePlace, Places } from '../kernel/places.ts';
import { inSpan, type Tracer } from '../telemetry/telemetry.ts';
import { spanOf } from './documents/known-documents.ts';
import type { Exchange, Executor, Outcome, Stage } from './exchange.ts';
import { type CompiledOptions, compiled } from './executors/compiled/run.ts';
import { Declined } from './executors/declined.ts';
import { type ResolvingOptions, resolving } from './executors/resolving/run.ts';
import { type SubscribeOptions, subscribe } from './executors/subscribe.ts';
import { type Presented, present, presentRefusal, printStreamed, type ResponseOptions } from './presentation.ts';
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
  requireEvent,
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
    ResolvingOptions,
    ResponseOptions {
  readonly tracer: Tracer | null;
  readonly places: Places;
}

export const stages = {
  /** The caller, if there is a key. Counts the request: refusals behind it are counted, too. */
  admit,
  /** An object of few entries and levels. */
  readRequest,
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
  /** The one field of a subscription. */
  requireEvent,
  /** In the response cache. */
  lookUp,
} as const satisfies Record<string, (options: PipelineOptions) => Stage>;

export const executors = {
  compiled,
  subscribe,
  resolving,
} as const satisfies Record<string, (options: PipelineOptions) => Executor>;

export type Pipeline = ReturnType<typeof createPipeline>;

export function createPipeline(options: PipelineOptions) {
  const gates = Object.values(stages).map((stage) => stage(options));
  const takers = Object.values(executors).map((executor) => executor(options));

  /** @param first the gates before it have let it pass */
  function pass(exchange: Exchange, first = 0): Presented | null | Promise<Presented | null> {
    const refuse = (error: unknown) => presentRefusal(error, exchange, options);
    try {
      for (let at = first; at < gates.length; at += 1) {
        const outcome = gates[at]?.(exchange) ?? null;
        if (outcome instanceof Promise)
          return outcome
            .then((later) => (later === null ? passLater(exchange, at + 1) : present(later, exchange, options)))
            .catch(refuse);
        if (outcome === null) continue;
        const presented = present(outcome, exchange, options);
        return presented instanceof Promise ? presented.catch(refuse) : presented;
      }
      return null;
    } catch (error) {
      return refuse(error);
    }
  }

  /** @throws the reason of a client that has gone meanwhile */
  function passLater(exchange: Exchange, first: number) {
    exchange.http.clientAborted.throwIfAborted();
    return pass(exchange, first);
  }

  /** @param first the executors before it have declined */
  function outcomeOf(exchange: Exchange, first = 0): Outcome | Promise<Outcome> {
    for (let at = first; at < takers.length; at += 1) {
      const outcome = takers[at]?.(exchange);
      if (outcome instanceof Promise)
        return outcome.then((later) => (later instanceof Declined ? outcomeOf(exchange, at + 1) : later));
      if (outcome !== undefined && !(outcome instanceof Declined)) return outcome;
    }
    throw new Error('No executor took the operation');
  }

  function tracedOutcomeOf(exchange: Exchange): Outcome | Promise<Outcome> {
    const { tracer } = options;
    // A subscription lasts as long as its request, which has a span.
    if (tracer === null || exchange.operation.isSubscription) return outcomeOf(exchange);
    const { name, options: ofSpan } = spanOf(exchange.operation.facts);
    return inSpan(tracer, name, ofSpan, async () => outcomeOf(exchange));
  }

  const placeOf = ({ owner, isMutation, http }: Exchange): LeavePlace | Promise<LeavePlace> =>
    options.places.take(owner, isMutation ? 'mutation' : 'query', () => http.clientAborted);

  return {
    /** @returns null for an operation to execute */
    pass: (exchange: Exchange) => pass(exchange),
    async execute(exchange: Exchange) {
      let leave: LeavePlace | undefined;
      try {
        const place = placeOf(exchange);
        leave = place instanceof Promise ? await place : place;
        const outcome = await tracedOutcomeOf(exchange);
        const presented = present(outcome, exchange, options);
        return presented instanceof Promise ? await presented : presented;
      } catch (error) {
        // Nothing is executed twice.
        return presentRefusal(error, exchange, options);
      } finally {
        // A subscription's stream is open by now.
        leave?.();
        exchange.printed();
      }
    },
    refuse: (error: unknown, exchange: Exchange) => presentRefusal(error, exchange, options),
    /** An event's result, or a door's refusal, for clients. */
    printStreamed: (result: ExecutionResult, exchange: Exchange) => printStreamed(result, exchange, options),
  };
}
