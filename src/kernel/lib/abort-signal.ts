/**
 * An AbortSignal, or a `Deadline` of ours, which is no EventTarget: every call of a service has one, and an EventTarget with its
 * listeners takes longer, and allocates more, than all else that the deadline of a call does.
 */
export interface AbortSignalLike {
  readonly aborted: boolean;
  /** Why; undefined before. */
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

const once = { once: true } as const;

/** Calls the listener when the work is ended, or now if it was: an event listener of an aborted signal is never called. */
export function onAbort(signal: AbortSignalLike, listener: () => void): void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, once);
}

/** Null if one of the signals aborts first. Unlike `Promise.race`, it leaves no listener. */
export function beforeAbort<Value>(promise: Promise<Value>, signals: readonly AbortSignal[]): Promise<Value | null> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(null);
    for (const signal of signals) onAbort(signal, abort);
    promise.then(resolve, reject).finally(() => {
      for (const signal of signals) signal.removeEventListener('abort', abort);
    });
  });
}
