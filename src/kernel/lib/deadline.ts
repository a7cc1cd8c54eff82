/** A signal that aborts after some time, or with another signal. Disposing of it leaves no timer and no listener. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Aborts the signal before the time is up. */
  abort(reason: unknown): void;
}

/** A time is up. Not a DOMException, which the log would print with its twenty-five constants. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * @param milliseconds from now
 * @param parent aborts the signal earlier, with its own reason; null without one
 * @param message of the TimeoutError that is the reason when the time is up
 */
export function deadline(milliseconds: number, parent: AbortSignal | null, message: string): Deadline {
  // AbortSignal.any and .timeout would do the same, but live on until they are collected.
  const controller = new AbortController();
  const abort = () => controller.abort(parent?.reason);
  const timer = setTimeout(() => controller.abort(new TimeoutError(message)), milliseconds);
  if (parent?.aborted) abort();
  else parent?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]() {
      clearTimeout(timer);
      parent?.removeEventListener('abort', abort);
    },
  };
}

/** Whether work ended because whoever wanted it has gone: no time was up, and nothing failed. */
export const isAbandonment = (reason: unknown): boolean => reason instanceof Error && reason.name === 'AbortError';

/** Runs work under a deadline, which ends with the work. The parameters are those of {@link deadline}. */
export async function underDeadline<Value>(
  milliseconds: number,
  parent: AbortSignal | null,
  message: string,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = deadline(milliseconds, parent, message);
  try {
    return await work(limit.signal);
  } finally {
    limit[Symbol.dispose]();
  }
}

/**
 * What the promise resolves to, unless that takes longer. The work behind it goes on.
 * @throws TimeoutError with the message
 */
export const within = <Value>(milliseconds: number, promise: Promise<Value>, message: string): Promise<Value> =>
  underDeadline(milliseconds, null, message, (signal) => {
    const late = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => late.reject(signal.reason));
    return Promise.race([promise, late.promise]);
  });
