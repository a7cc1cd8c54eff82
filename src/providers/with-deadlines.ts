/** A deadline for every call of an adapter, so that a provider that never responds cannot hold up a caller for ever. */

import { ServiceError } from '../kernel/errors.ts';
import { underDeadline } from '../kernel/lib/deadline.ts';

/** Milliseconds for one call of a provider. Shorter than the lease of a job, which must outlast every call. */
export const providerDeadlineMs = 30_000;

/**
 * The same adapters, whose calls throw `request_timeout` at the deadline. The signal of the call aborts then, but the
 * call ends even if the adapter ignores its signal.
 */
export function withDeadlines<Adapters extends object>(adapters: Adapters, deadlineMs = providerDeadlineMs): Adapters {
  return wrapMembers(adapters, (adapter) =>
    typeof adapter === 'object' && adapter !== null ? limited(adapter, deadlineMs) : adapter,
  );
}

/** The adapter with a deadline around each method. By the convention of provider.ts the signal is the last argument. */
const limited = (adapter: object, deadlineMs: number): object =>
  wrapMembers(adapter, (method, name) => {
    if (typeof method !== 'function') return method;
    return (...args: readonly unknown[]) => {
      const signal = args.at(-1);
      if (!(signal instanceof AbortSignal))
        throw new TypeError(`The last argument of ${String(name)} must be a signal`);
      return withinDeadline(deadlineMs, signal, (limit) =>
        Reflect.apply(method, adapter, [...args.slice(0, -1), limit]),
      );
    };
  });

/**
 * A proxy rather than a copy, because an adapter may be an instance of a class, whose methods are not its own properties.
 * It stands over an heir of the target, because a proxy must not replace the members of a frozen target.
 */
const wrapMembers = <Target extends object>(
  target: Target,
  wrap: (member: unknown, name: string | symbol) => unknown,
): Target => new Proxy(Object.create(target), { get: (_, name) => wrap(Reflect.get(target, name), name) });

const withinDeadline = <T>(
  deadlineMs: number,
  parent: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> =>
  underDeadline(deadlineMs, parent, 'The network took too long', (signal) => {
    if (signal.aborted) throw timeout(signal);
    const late = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => late.reject(timeout(signal)));
    return Promise.race([call(signal), late.promise]);
  });

const timeout = ({ reason }: AbortSignal) =>
  new ServiceError('request_timeout', {
    detail: 'The network did not respond in time. Try again; contact support if it persists.',
    cause: reason,
  });
