import { eventStream } from './event-stream.js';
import { passing } from './passing.js';
import { createRetry } from './retry.js';
import { readResult, sendOperation } from './send-operation.js';
import { steadyFetch } from './steady-fetch.js';
export class SubscriptionError extends Error {
  name = 'SubscriptionError';
  code;
  errors;
  constructor(errors = []) {
    super(errors[0]?.message ?? 'The subscription was refused.');
    this.code = String(errors[0]?.extensions?.code);
    this.errors = errors;
  }
}
export async function* watch(
  url,
  operation,
  { fetch: send = fetch, retry = createRetry(), onWaiting, onConnected, onRefused, ...options } = {},
) {
  const { signal } = options;
  const headers = new Headers(options.headers);
  headers.set('accept', 'text/event-stream');
  let isWaiting = false;
  const tell = (now) => {
    isWaiting = now;
    onWaiting?.(now);
  };
  const steady = steadyFetch({ fetch: send, retry, onWaiting: (now) => now && tell(true) });
  const aborted = Promise.withResolvers();
  const abort = () => aborted.reject(signal?.reason);
  aborted.promise.catch(() => {});
  signal?.addEventListener('abort', abort);
  try {
    for (let failed = 0; ; failed += 1) {
      const response = await sendOperation(url, operation, { ...options, fetch: steady, headers });
      const { body } = response;
      const isStream = body !== null && response.headers.get('content-type')?.startsWith('text/event-stream');
      const results = isStream ? eventStream(body) : [await readResult(response)];
      if (isStream) {
        tell(false);
        try {
          await Promise.race([onConnected?.(), aborted.promise]);
        } catch (error) {
          body.cancel().catch(() => {});
          throw error;
        }
      }
      let refusal;
      let isGiven = false;
      try {
        for await (const result of results) {
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
