/** What ends work: signals, and deadlines, which are signals by the clock. */
import { setImmediate } from 'node:timers';

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
    const leave = () => {
      for (const signal of signals) signal.removeEventListener('abort', abort);
    };
    const abort = () => {
      leave();
      resolve(null);
    };
    promise.then(resolve, reject).finally(leave);
    if (signals.some(({ aborted }) => aborted)) abort();
    else for (const signal of signals) signal.addEventListener('abort', abort);
  });
}

/** Not a DOMException, which the log would print with its twenty-five constants. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** Ends work after some time, or when something else ends it. Disposal leaves no timer and no listener. */
export class Deadline implements AbortSignalLike, Disposable {
  readonly #timer: NodeJS.Timeout;
  readonly #parent: AbortSignalLike | null;
  readonly #listeners: (() => void)[] = [];
  #aborted = false;
  #reason: unknown;
  #signal: AbortSignal | undefined;

  /** @param parent ends it earlier, with its own reason. @param message of the TimeoutError */
  constructor(milliseconds: number, parent: AbortSignalLike | null, message: string) {
    this.#timer = setTimeout(expire, milliseconds, this, message);
    this.#parent = parent;
    if (parent !== null) onAbort(parent, this.#follow);
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** For whoever needs a real one. AbortSignal.any and .timeout live on until they are collected. */
  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController();
      onAbort(this, () => controller.abort(this.#reason));
      this.#signal = controller.signal;
    }
    return this.#signal;
  }

  /** Only the first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    // One at a time: a listener may remove others, which are not called then.
    for (let next = this.#listeners.shift(); next !== undefined; next = this.#listeners.shift()) next();
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#parent?.removeEventListener('abort', this.#follow);
  }

  readonly #follow = (): void => this.abort(this.#parent?.reason);
}

const expire = (limit: Deadline, message: string): void => limit.abort(new TimeoutError(message));

/** Whether the client of the work has gone: no time was up, and nothing failed. */
export const isAbandonment = (reason: unknown): boolean => reason instanceof Error && reason.name === 'AbortError';

export async function underDeadline<Value>(
  milliseconds: number,
  parent: AbortSignalLike | null,
  message: string,
  work: (limit: Deadline) => Promise<Value>,
): Promise<Value> {
  const limit = new Deadline(milliseconds, parent, message);
  try {
    return await work(limit);
  } finally {
    limit[Symbol.dispose]();
  }
}

/** The promise's result, also one that came in time and was not read yet. The work behind it goes on after the time. @throws TimeoutError */
export const within = <Value>(milliseconds: number, promise: Promise<Value>, message: string): Promise<Value> =>
  underDeadline(milliseconds, null, message, (limit) => {
    const late = Promise.withResolvers<never>();
    // In a round of the event loop timers come before sockets, and this after them.
    onAbort(limit, () => setImmediate(late.reject, limit.reason));
    return Promise.race([promise, late.promise]);
  });
