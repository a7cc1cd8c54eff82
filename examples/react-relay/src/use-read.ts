import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { fetchQuery, useRelayEnvironment } from 'react-relay';
import {
  createOperationDescriptor,
  type GraphQLTaggedNode,
  getRequest,
  type OperationType,
  type Subscription,
} from 'relay-runtime';
import { reasonOf } from './environment.ts';

// #region read
interface Read<Query extends OperationType> {
  /** What the store has, for the fragments of the query; null until all of it was read. It stays if it cannot be read again. */
  readonly data: Query['response'] | null;
  readonly isLoading: boolean;
  readonly failure: string | null;
  readonly readAgain: () => void;
}

/**
 * Reads a query beside what the view shows. `useLazyLoadQuery` would take the view away while it reads, and if it fails: one
 * list of a feed would be read after the other, and one that fails would take the others with it.
 * @param variables the same object until they change
 * @param policy whether what the store has is read again
 */
export function useRead<Query extends OperationType>(
  query: GraphQLTaggedNode,
  variables: Query['variables'],
  policy: 'store-or-network' | 'store-and-network',
): Read<Query> {
  const environment = useRelayEnvironment();
  const operation = useMemo(() => createOperationDescriptor(getRequest(query), variables), [query, variables]);
  const stored = useCallback((): Query['response'] | null => {
    if (environment.check(operation).status !== 'available') return null;
    return environment.lookup(operation.fragment).data ?? null;
  }, [environment, operation]);
  const [data, setData] = useState(stored);
  const [isLoading, setIsLoading] = useState(data === null);
  const [failure, setFailure] = useState<string | null>(null);

  const reading = useRef<Subscription | null>(null);
  const read = useCallback(() => {
    setIsLoading(true);
    reading.current = fetchQuery<Query>(environment, query, variables, { fetchPolicy: 'network-only' }).subscribe({
      next(response) {
        setData(response);
        setFailure(null);
      },
      error(error: unknown) {
        setFailure(reasonOf(error));
        setIsLoading(false);
      },
      complete: () => setIsLoading(false),
    });
  }, [environment, query, variables]);

  useEffect(() => {
    // The store keeps what it has for this view, and for some views after it.
    const kept = environment.retain(operation);
    const found = stored();
    setData(found);
    if (found === null || policy === 'store-and-network') read();
    return () => {
      reading.current?.unsubscribe();
      kept.dispose();
    };
  }, [environment, operation, policy, read, stored]);

  return { data, isLoading, failure, readAgain: read };
}
// #endregion
