import type { Idempotency } from './idempotency.ts';
import type { AnyOperation } from './operation.ts';
import type { Ports } from './ports.ts';
import type { RequestContext } from './request-context.ts';

interface KeyedCommand<Output extends object> {
  readonly operation: AnyOperation<Output>;
  readonly endpoint: string;
  readonly key: string;
  readonly request: object;
  readonly print: (result: Output) => string;
}

/** Performs an authorized command once for its key. @throws ServiceError as the operation, or Idempotency.once */
export function performOnceForKey<Output extends object>(
  idempotency: Idempotency,
  { operation, endpoint, key, request, print }: KeyedCommand<Output>,
  ports: Ports,
  context: RequestContext,
): ReturnType<Idempotency['once']> {
  const { caller, signal } = context;
  const isAtomic = operation.isAtomic && !ports.serviceJudges(operation.scope);
  return idempotency.once({ caller, endpoint, key, request, signal, isAtomic }, async (taken) => {
    const atomicKey = isAtomic ? { ...taken, print } : undefined;
    // A client that disconnects comes back for the response: the work does not end with its connection.
    const uninterrupted = { ...context, atomicKey, signal: new AbortController().signal };
    return print(await operation.perform(ports, uninterrupted, request));
  });
}
