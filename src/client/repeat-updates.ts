import type { Client } from 'graphql-ws';

export interface RepeatedUpdates {
  /** The subscriptions. What they report while a query is under way, they report again after it. */
  readonly streams: Client;
  /** Call it when a query is sent, and what it returns as soon as the cache has the response, or none will come. */
  readonly beginRead: () => () => void;
}

/**
 * Keeps a response from undoing an update that it is older than: it can be computed before an event, and arrive after the update
 * that reports the event. An update that the response has already does no harm: a newer one follows if there is one.
 */
export function repeatUpdates(client: Client): RepeatedUpdates {
  /** For each query that is under way the updates since it was sent. */
  const missed = new Set<(() => void)[]>();
  return {
    beginRead() {
      const updates: (() => void)[] = [];
      missed.add(updates);
      return () => {
        if (missed.delete(updates)) for (const report of updates) report();
      };
    },
    streams: {
      ...client,
      subscribe(request, sink) {
        let isOver = false;
        const unsubscribe = client.subscribe(request, {
          ...sink,
          next(result) {
            const report = () => isOver || sink.next(result as Parameters<typeof sink.next>[0]);
            report();
            for (const updates of missed) updates.push(report);
          },
        });
        return () => {
          isOver = true;
          unsubscribe();
        };
      },
    },
  };
}
