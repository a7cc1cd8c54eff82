import { eventStream } from './event-stream.ts';
import { passing } from './passing.ts';
import { createRetry, type Retry } from './retry.ts';
import { type Operation, readResult, type SendOptions, sendOperation } from './send-operation.ts';
import type { ResponseError, Result } from './skip-failed.ts';
import { steadyFetch } from './steady-fetch.ts';

export interface WatchOptions extends SendOptions {
  readonly retry?: Retry;
  /** Called with true when the subscription has lost its connection, and with false when it has one, or has ended. */
  readonly onWaiting?: (isWaiting: boolean) => void;
  /**
   * Called with each connection. Read here what the subscription reports changes of, such as `deliveries`: results wait until the
   * promise resolves, so that none is missed, and no response undoes an update that came after it. An error ends the iteration.
   */
  readonly onConnected?: () => unknown;
  /** Called when the gateway refuses the subscription for now. An error that it throws ends the iteration. */
  readonly onRefused?: (refusal: SubscriptionError) => void;
}

/** A subscription that the gateway refuses for good. */
export class SubscriptionError extends Error {
  override name = 'SubscriptionError';
  /** The `ErrorCode` of the gateway. */
  readonly code: string;
  readonly errors: readonly ResponseError[];
  constructor(errors: readonly ResponseError[] = []) {
    super(errors[0]?.message ?? 'The subscription was refused.');
    this.code = String(errors[0]?.extensions?.code);
    this.errors = errors;
  }
}

/**
 * The results of a subscription, over server-sent events. It connects again for ever: after a restart of the gateway, a connection
 * that fell silent, a token that expired. Leaving the loop closes the connection; the signal ends the iteration at once, without
 * an error.
 * @param operation its variables are read again with each connection
 * @param options the `fetch` can add the credentials of then, such as that of `createAccessTokens`
 * @throws SubscriptionError if the gateway refuses the subscription for good
 */
export async function* watch<Data>(
  url: string,
  operation: Operation,
  { fetch: send = fetch, retry = createRetry(), onWaiting, onConnected, onRefused, ...options }: WatchOptions = {},
): AsyncGenerator<Result<Data>, void, undefined> {
  const { signal } = options;
  const headers = new Headers(options.headers);
  headers.set('accept', 'text/event-stream');
  let isWaiting = false;
  const tell = (now: boolean) => {
    isWaiting = now;
    onWaiting?.(now);
  };
  const steady = steadyFetch({ fetch: send, retry, onWaiting: (now) => now && tell(true) });
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal?.reason);
  aborted.promise.catch(() => {});
  signal?.addEventListener('abort', abort);
  try {
    for (let failed = 0; ; failed += 1) {
      const response = await sendOperation(url, operation, { ...options, fetch: steady, headers });
      const { body } = response;
      const isStream = body !== null && response.headers.get('content-type')?.startsWith('text/event-stream');
      const results = isStream ? eventStream<Result<Data>>(body) : [await readResult<Data>(response)];
      if (isStream) {
        tell(false);
        try {
          await Promise.race([onConnected?.(), aborted.promise]);
        } catch (error) {
          body.cancel().catch(() => {});
          throw error;
        }
      }
      let refusal: SubscriptionError | undefined;
      let isGiven = false;
      try {
        for await (const result of results) {
          // An error of the request comes without data: the subscription is refused, or its token has expired.
          if (result?.data === undefined) {
            refusal = new SubscriptionError(result?.errors);
            break;
          }
          failed = 0;
          isGiven = true;
          yield result;
          isGiven = false;
        }
        if (refusal === undefined) return;
      } catch (error) {
        // The connection is lost, unless whoever has the result throws.
        if (isGiven) throw error;
      }
      signal?.throwIfAborted();
      if (refusal !== undefined) {
        if (!passing.has(refusal.code)) throw refusal;
        onRefused?.(refusal);
      }
      tell(true);
      await retry.wait(failed, 0, signal);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    if (isWaiting) tell(false);
  }
}
