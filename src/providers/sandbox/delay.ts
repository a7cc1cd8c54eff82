/** Waiting that ends when nobody waits for the answer any more. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';

/** Throws `errors/request_timeout` if the call is not wanted any more. */
export function requireWanted(signal: AbortSignal): void {
  if (signal.aborted) throw tooLate(signal);
}

/** Lets `milliseconds` pass, as a slow network does; throws `errors/request_timeout` as soon as `signal` aborts. */
export async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch {
    throw tooLate(signal);
  }
}

// A caller who went away gets the same answer as a deadline that ran out: he does not read it, and it is no fault of ours.
const tooLate = (signal: AbortSignal) =>
  new ServiceError('request_timeout', {
    detail: 'The call ended before the network had answered. Try again.',
    cause: signal.reason,
  });
