import { createClient } from 'graphql-ws';
import { createNotes, createStreams, repeatUpdates, type Skipped } from 'postern/client';
import { useEffect, useState, useSyncExternalStore } from 'react';

/** On the server of this page, which passes it on to the gateway: a proxy in development, a BFF in production. */
export const url = `${location.origin}/graphql`;

const troubles = createNotes<string>();
const unreachable = 'The gateway cannot be reached. The page tries again by itself.';
/** Takes down whether something waits for the gateway. */
export const waits = (what: string) => (isWaiting: boolean) => troubles.set(what, isWaiting ? [unreachable] : []);

/** All subscriptions of the page, and what their updates have to know of its queries. */
export const { streams, beginRead } = repeatUpdates(
  createStreams({
    createClient,
    url: url.replace('http', 'ws'),
    onWaiting: waits('stream'),
    onRefused: (reason) => troubles.set('refused', reason === null ? [] : [reason]),
  }),
);
let isOpen = false;
streams.on('connected', () => {
  isOpen = true;
});
streams.on('closed', () => {
  isOpen = false;
});

interface SkippedItem extends Skipped {
  /** What tells it apart: lists have their items at the same paths. */
  readonly id: string;
  readonly operation: string;
  readonly variables: Readonly<Record<string, unknown>>;
}
const skippedItems = createNotes<SkippedItem>();
/** Takes down which items of a response could not be read. Send them to your monitoring as well. */
export function reportSkipped(operation: string, variables: SkippedItem['variables'], skipped: readonly Skipped[]) {
  const list = `${operation} ${JSON.stringify(variables)}`;
  const items = skipped.map((item) => ({ ...item, id: `${list} ${item.path.join('.')}`, operation, variables }));
  skippedItems.set(list, items);
}

/** What keeps the page from the gateway at the moment, each once. */
export const useTroubles = () => [...new Set(useSyncExternalStore(troubles.subscribe, troubles.all))];
export const useSkippedItems = () => useSyncExternalStore(skippedItems.subscribe, skippedItems.all);

const onChange = (listener: () => void) => {
  const ends = [streams.on('connected', listener), streams.on('closed', listener)];
  return () => {
    for (const end of ends) end();
  };
};
/** Whether subscriptions have their connection. */
export const useIsLive = () => useSyncExternalStore(onChange, () => isOpen);

/**
 * Reads something again whenever subscriptions get their connection: they tell what happens from then on, and what could not be
 * read before, as with a key that was refused, may be read now.
 * @param isReading whether a response is under way. It may be from before the connection, so it is read once more after it
 */
export function useOnConnected(read: () => void, isReading: boolean): void {
  const [isDue, setIsDue] = useState(false);
  useEffect(() => streams.on('connected', () => setIsDue(true)), []);
  useEffect(() => {
    if (!isDue || isReading) return;
    setIsDue(false);
    read();
  }, [isDue, isReading, read]);
}
