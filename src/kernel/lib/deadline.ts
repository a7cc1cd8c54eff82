import { onAbort } from './on-abort.ts';

/** A signal that aborts after some time, or with another one. Disposal leaves no timer and no listener. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
}

/** Not a DOMException, which the log would print with its twenty-five constants. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** @param parent aborts earlier, with its own reason. @param message of the TimeoutError */
export function deadline(milliseconds: number, parent: AbortSignal | null, message: string): Deadline {
  // AbortSignal.any and .timeout live on until they are collected.
  const controller = new AbortController();
  const abort = () => controller.abort(parent?.reason);
  const timer = setTimeout(() => controller.abort(new TimeoutError(message)), milliseconds);
  if (parent !== null) onAbort(parent, abort);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]() {
      clearTimeout(timer);
      parent?.removeEventListener('abort', abort);
    },
  };
}

/** Whether the client of the work has gone: no time was up, and nothing failed. */
export const isAbandonment = (reason: unknown): boolean => reason instanceof Error && reason.name === 'AbortError';

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

/** The promise's result; the work behind it goes on after the time. @throws TimeoutError */
export const within = <Value>(milliseconds: number, promise: Promise<Value>, message: string): Promise<Value> =>
  underDeadline(milliseconds, null, message, (signal) => {
    const late = Promise.withResolvers<never>();
    onAbort(signal, () => late.reject(signal.reason));
    return Promise.race([promise, late.promise]);
  });
