import { ServiceError } from '../kernel/errors.ts';
import { onAbort, underDeadline } from '../kernel/lib/abort-signal.ts';

/** Per call of a provider. */
const providerDeadlineMs = 30_000;

/** Calls throw `request_timeout` at the deadline, even if the adapter ignores the signal, which aborts then. */
export function withDeadlines<Adapters extends object>(adapters: Adapters, deadlineMs = providerDeadlineMs): Adapters {
  return wrapMembers(adapters, (adapter) =>
    typeof adapter === 'object' && adapter !== null ? limited(adapter, deadlineMs) : adapter,
  );
}

/** By the convention of provider.ts the signal is the last argument. */
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
 * A proxy rather than a copy: an adapter may be an instance of a class, whose methods are not own properties. Over an
 * heir of the target, as a proxy must not replace members of a frozen target.
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
  underDeadline(deadlineMs, parent, 'The network took too long', ({ signal }) => {
    if (signal.aborted) throw timeout(signal);
    const late = Promise.withResolvers<never>();
    onAbort(signal, () => late.reject(timeout(signal)));
    return Promise.race([call(signal), late.promise]);
  });

const timeout = ({ reason }: AbortSignal) =>
  new ServiceError('request_timeout', {
    detail: 'The network did not respond in time. Try again; contact support if it persists.',
    cause: reason,
  });
