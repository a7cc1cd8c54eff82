/** What one watcher of deliveries has not read yet: bounded, so that a client that reads slowly costs no more than that. */
import type { Delivery } from './shapes.ts';

/** The most unread deliveries of one watcher. The oldest are dropped; a delivery that changes again is told again. */
export const maxUnread = 1_000;

export interface Mailbox {
  post(delivery: Delivery): void;
  /** Resolves when there is something to take, or nothing more will come. */
  ready(): Promise<void>;
  /**
   * The oldest unread delivery in its newest state; null when nothing more will come.
   * @throws what the mailbox failed with
   */
  take(): Delivery | null;
  close(): void;
  fail(error: unknown): void;
}

export function mailbox(): Mailbox {
  const unread = new Map<string, Delivery>();
  let end: { readonly error?: unknown } | null = null;
  let wake = () => {};

  const stop = (how: { readonly error?: unknown }) => {
    end ??= how;
    unread.clear();
    wake();
  };
  return {
    post(delivery) {
      if (end !== null) return;
      unread.delete(delivery.delivery_id);
      unread.set(delivery.delivery_id, delivery);
      if (unread.size > maxUnread) unread.delete(oldestOf(unread));
      wake();
    },
    ready: () =>
      new Promise((resolve) => {
        if (unread.size > 0 || end !== null) resolve();
        else wake = resolve;
      }),
    take() {
      if (end !== null) {
        if ('error' in end) throw end.error;
        return null;
      }
      const id = oldestOf(unread);
      const delivery = unread.get(id) as Delivery;
      unread.delete(id);
      return delivery;
    },
    close: () => stop({}),
    fail: (error) => stop({ error }),
  };
}

/** A Map iterates in the order of insertion. It is not empty here. */
const oldestOf = (unread: ReadonlyMap<string, Delivery>): string => unread.keys().next().value as string;
