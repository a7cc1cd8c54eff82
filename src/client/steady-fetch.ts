import { createRetry, type Retry } from './retry.ts';

export interface SteadyFetchOptions {
  readonly fetch?: typeof fetch;
  readonly retry?: Retry;
  /** Called with true when a request starts to wait for another attempt, and with false when none waits any more. */
  readonly onWaiting?: (isWaiting: boolean) => void;
}

/**
 * A `fetch` that repeats a request until the gateway responds to it. Give it queries only: what a mutation does, it may have
 * done although its response was lost.
 */
export function steadyFetch(options: SteadyFetchOptions = {}): typeof fetch {
  const { fetch: send = (...request) => fetch(...request), retry = createRetry(), onWaiting } = options;
  let waiting = 0;
  const count = (change: 1 | -1) => {
    const before = waiting;
    waiting += change;
    if (before === 0 || waiting === 0) onWaiting?.(waiting > 0);
  };
  return async (input, init) => {
    let failed = 0;
    try {
      for (;;) {
        const response = await send(input, init).catch(orNoResponse);
        if (response !== null && !isOutage(response)) return response;
        failed += 1;
        if (failed === 1) count(1);
        // If the connection has broken off, so has the body, which then cannot be cancelled.
        response?.body?.cancel().catch(() => {});
        await retry.wait(failed - 1, retryAfterMs(response), init?.signal);
      }
    } finally {
      if (failed > 0) count(-1);
    }
  };
}

/** `fetch` rejects with a TypeError if there is no response, and with another error if the request was aborted. */
function orNoResponse(error: unknown): null {
  if (error instanceof TypeError) return null;
  throw error;
}

/** Whether the response is no answer: that of a proxy without a gateway behind it, or of a gateway that asks for patience. */
function isOutage({ status, headers }: Response): boolean {
  if (headers.has('retry-after')) return status === 429 || status === 503;
  return status >= 500 && !headers.get('content-type')?.includes('json');
}

/** `Retry-After` in milliseconds, which is a number of seconds or a date; 0 without one. */
function retryAfterMs(response: Response | null): number {
  const value = response?.headers.get('retry-after') ?? '0';
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Math.max(0, ms) || 0;
}
