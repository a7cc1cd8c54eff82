/** How long to wait before the next attempt, for as many attempts as it takes. */
export interface Retry {
  /**
   * Waits before another attempt. Ends early when the browser is online again.
   * @param attempt how many have failed in a row, from 0
   * @param atLeastMs what the server asked for, such as by `Retry-After`; waited in any case
   * @throws the reason of the signal, if it is aborted
   */
  wait(attempt: number, atLeastMs?: number, signal?: AbortSignal | null): Promise<void>;
}

export interface RetryOptions {
  /** The bound of the first wait, which doubles with each attempt. */
  readonly firstMs?: number;
  readonly maxMs?: number;
  readonly random?: () => number;
  /** What has an event `online`; in a browser the window. */
  readonly network?: EventTarget | undefined;
}

const browser = globalThis instanceof EventTarget ? globalThis : undefined;

/** A retry that waits a random part of a bound that grows (full jitter), so that clients that were cut off together do not come back together. */
export function createRetry({
  firstMs = 500,
  maxMs = 8_000,
  random = Math.random,
  network = browser,
}: RetryOptions = {}): Retry {
  return {
    async wait(attempt, atLeastMs = 0, signal) {
      await sleep(atLeastMs, signal);
      await sleep(random() * Math.min(maxMs, firstMs * 2 ** attempt), signal, network);
    },
  };
}

/**
 * The value of what succeeds at last: runs it again, with a wait as of {@link createRetry}, whenever it throws.
 * @param attempts how many there are at most; 10 wait 24 seconds on average, and at most 48
 * @throws the last error, or the reason of the signal
 */
export async function retry<Value>(
  run: () => Promise<Value>,
  {
    attempts = 10,
    signal,
    ...options
  }: RetryOptions & { readonly attempts?: number; readonly signal?: AbortSignal } = {},
): Promise<Value> {
  const { wait } = createRetry(options);
  for (let failed = 0; ; failed += 1) {
    try {
      return await run();
    } catch (error) {
      if (failed + 1 >= attempts) throw error;
      await wait(failed, 0, signal);
    }
  }
}

/** A timer of more ends at once. */
const longestTimerMs = 2_147_483_647;

function sleep(ms: number, signal?: AbortSignal | null, network?: EventTarget): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => () => {
      clearTimeout(timer);
      network?.removeEventListener('online', wake);
      signal?.removeEventListener('abort', stop);
      settle();
    };
    const wake = end(resolve);
    const stop = end(() => reject(signal?.reason));
    const timer = setTimeout(wake, Math.min(ms, longestTimerMs));
    network?.addEventListener('online', wake);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
  });
}
