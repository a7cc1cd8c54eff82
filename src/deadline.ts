/** A signal that aborts after some time, or with another signal; disposing of it leaves no timer and no listener. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/** @param milliseconds from now; the reason is then a TimeoutError */
export function deadline(milliseconds: number, parent: AbortSignal): Deadline {
  // AbortSignal.any and .timeout would do the same, but live on until they are collected.
  const controller = new AbortController();
  const abort = () => controller.abort(parent.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException('The upstream service took too long', 'TimeoutError')),
    milliseconds,
  );
  if (parent.aborted) abort();
  else parent.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      parent.removeEventListener('abort', abort);
    },
  };
}
