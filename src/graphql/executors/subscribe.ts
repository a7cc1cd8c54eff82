/**
 * The way of a subscription, which has passed the stages of every request:
 *
 *   auth/streams.ts            counts its stream, and ends it with its key
 *   subscribe-in-turns.ts      opens the source of its events, in the turn of its key:
 *     store/watch-feed.ts        deliveries and events, by notification; accounts and postings, by polling
 *   store/watch.ts             keeps the newest states that its client has not read
 *   kernel/lib/pacer.ts        lets few watchers go on in one turn of the event loop
 *   stream-turns.ts            executes equal selections with equal rights once, and prints them once for all streams;
 *                              a key with too many unread bytes waits
 *   doors/                     write what `printStreamed` returns: parts, server-sent events, or messages
 *   endingWith                 ends it with its key; doors/stream-bodies.ts without its completion, for clients that come back
 */
import type { ExecutionResult } from 'graphql';
import type { Stream, Streams } from '../../auth/streams.ts';
import { missingKey, rightsOf } from '../../kernel/caller.ts';
import type { ServiceError } from '../../kernel/errors.ts';
import { beforeAbort } from '../../kernel/lib/abort-signal.ts';
import type { FairTurns } from '../../kernel/lib/fair-turns.ts';
import { nothingSpent, Printing } from '../../kernel/request-context.ts';
import type { Exchange, Executor, Outcome } from '../exchange.ts';
import { bytesForAll, presentError, printForAll, type ResponseOptions } from '../presentation.ts';
import { Declined } from './declined.ts';
import { createContext, type ResolvingOptions } from './resolving/run.ts';
import { createStreamTurns } from './stream-turns.ts';
import { subscribeInTurns } from './subscribe-in-turns.ts';

export interface SubscribeOptions extends ResolvingOptions, Pick<ResponseOptions, 'maxResponseBytes'> {
  readonly streams: Streams;
  readonly turns: FairTurns;
}

/** Every subscription is a stream: counted, and ended with its key. */
export const subscribe = ({ streams, turns, schema, ...options }: SubscribeOptions): Executor => {
  const streamTurns = createStreamTurns(turns);
  return (exchange) => (exchange.isSubscription ? open(exchange) : new Declined(exchange.operation.type));

  async function open(exchange: Exchange): Promise<Outcome> {
    const { caller, operation, variables, values, http } = exchange;
    if (caller === null) throw missingKey();
    const stream = streams.open(caller, http.clientAborted);
    let isOpen = false;
    try {
      const { facts, id } = http;
      const request = exchange.contextOf(caller, stream.signal);
      const asked = {
        schema,
        document: operation.document,
        operation: operation.node,
        values,
        context: createContext(options, request),
      };
      const turn = {
        keyId: caller.keyId,
        rights: rightsOf(caller),
        cost: facts.cost ?? 0,
        selection: facts.operationHash ?? id,
        unread: () => http.unread,
        signal: stream.signal,
      };
      const results = await subscribeInTurns(asked, variables, streamTurns, turn, {
        begin() {
          const printing = new Printing();
          const ofEvent = { ...request, spent: nothingSpent(), whenPrinted: printing.whenPrinted };
          return { context: createContext(options, ofEvent), end: () => printing.end() };
        },
        print: (result) => printForAll(result, exchange, options),
        bytesOf: bytesForAll,
      });
      if (!(Symbol.asyncIterator in results)) return { result: results };
      isOpen = true;
      const lastResult = (ended: Error): ExecutionResult => ({ errors: [presentError(ended, http)] });
      return { results: endingWith(stream, results, lastResult) };
    } finally {
      // A failure before the first event must not leave it open.
      if (!isOpen) stream.close();
    }
  }
};

/**
 * Results while the key can be used, then `lastResult`, which tells its refusal, and the end: clients of server-sent
 * events would reconnect after an error event.
 */
function endingWith<Result>(
  stream: Stream,
  results: AsyncIterable<Result>,
  lastResult: (refusal: ServiceError) => Result,
): AsyncIterableIterator<Result> {
  const source = results[Symbol.asyncIterator]();
  let isOver = false;

  function close(): void {
    isOver = true;
    stream.close();
    // The source ends in its own time: it may wait for something that never comes.
    Promise.resolve(source.return?.()).catch(() => undefined);
  }

  function finish(): IteratorResult<Result> {
    if (isOver) return { done: true, value: undefined };
    const { refusal } = stream;
    close();
    return refusal === null ? { done: true, value: undefined } : { done: false, value: lastResult(refusal) };
  }

  function fail(error: unknown): never {
    isOver = true;
    stream.close();
    throw error;
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (isOver || stream.signal.aborted) return finish();
      const result = await beforeAbort(source.next(), [stream.signal]).catch(fail);
      // Nothing is told after the key's end, even if it was read before.
      return result === null || result.done || stream.refusal !== null ? finish() : result;
    },
    async return() {
      close();
      return { done: true, value: undefined };
    },
  };
}
