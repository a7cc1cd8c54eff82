import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../kernel/errors.ts';

/** @throws ServiceError `request_timeout` when `signal` has aborted */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw timedOut(signal);
}

/** Waits as a slow network does. @throws ServiceError `request_timeout` as soon as `signal` aborts */
export async function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch {
    throw timedOut(signal);
  }
}

// A disconnected caller gets the error of a deadline: nobody reads it, and it is no fault of ours.
const timedOut = (signal: AbortSignal) =>
  new ServiceError('request_timeout', {
    detail: 'The call ended before the network responded. Try again.',
    cause: signal.reason,
  });
