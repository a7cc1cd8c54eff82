/** The end of a subscription: by its client, itself, or its API key. doors/stream-bodies.ts ends it with the process. */

import type { Stream } from '../../auth/streams.ts';
import type { ServiceError } from '../../kernel/errors.ts';
import { beforeAbort } from '../../kernel/lib/abort-signal.ts';

/**
 * Results while the key can be used, then `lastResult`, which tells its refusal, and the end: clients of server-sent
 * events would reconnect after an error event.
 */
export function endingWith<Result>(
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
