/**
 * The end of a subscription: with its client, by itself, or because its API key cannot be used any more. How it ends with
 * the process is in doors/stream-cut.ts.
 */
import type { Stream } from '../../auth/streams.ts';
import type { ServiceError } from '../../kernel/errors.ts';

/**
 * The results of a subscription for as long as its key can be used. Then a last result tells why, and the subscription
 * completes, which every client understands: an error event would make clients of server-sent events connect again.
 * @param lastResult the result that tells why the key cannot be used
 */
export function endingWith<Result>(
  stream: Stream,
  results: AsyncIterable<Result>,
  lastResult: (refusal: ServiceError) => Result,
): AsyncIterableIterator<Result> {
  const source = results[Symbol.asyncIterator]();
  let isOver = false;

  function finish(): IteratorResult<Result> {
    if (isOver) return { done: true, value: undefined };
    isOver = true;
    const { refusal } = stream;
    stream.close();
    // The source ends in its own time: it may be waiting for something that never comes.
    Promise.resolve(source.return?.()).catch(() => undefined);
    return refusal === null ? { done: true, value: undefined } : { done: false, value: lastResult(refusal) };
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (isOver || stream.signal.aborted) return finish();
      const result = await beforeAbort(source.next(), stream.signal);
      // What was read before the key expired or was revoked is not told after it.
      return result === null || result.done || stream.refusal !== null ? finish() : result;
    },
    async return() {
      isOver = true;
      stream.close();
      Promise.resolve(source.return?.()).catch(() => undefined);
      return { done: true, value: undefined };
    },
  };
}

/** What the promise resolves to; null if the signal aborts first. Unlike `Promise.race` with the signal it leaves no listener. */
export function beforeAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(null);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
