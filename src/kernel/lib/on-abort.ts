const once = { once: true } as const;

/** Calls the listener when the signal aborts, or now if it has: an event listener of an aborted signal is never called. */
export function onAbort(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, once);
}
