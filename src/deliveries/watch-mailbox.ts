/** What one watcher of deliveries has not read yet: bounded, so that a client that reads slowly costs no more than that. */
import type { Delivery } from './shapes.ts';

/** Bounds of one watcher's unread deliveries. The oldest are dropped; a delivery that changes again is told again. */
export const unreadLimits = {
  deliveries: 1_000,
  /** Characters of event data, unless one delivery alone has more. The data is shared by all who watch. */
  dataLength: 2_097_152,
} as const;

export interface Mailbox {
  /** @param dataLength characters of the event's data */
  post(delivery: Delivery, dataLength: number): void;
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

interface Unread {
  readonly delivery: Delivery;
  readonly dataLength: number;
}

export function mailbox(): Mailbox {
  const unread = new Map<string, Unread>();
  let dataLength = 0;
  let end: { readonly error?: unknown } | null = null;
  let wake = () => {};

  const drop = (id: string) => {
    dataLength -= unread.get(id)?.dataLength ?? 0;
    unread.delete(id);
  };
  const stop = (how: { readonly error?: unknown }) => {
    end ??= how;
    unread.clear();
    dataLength = 0;
    wake();
  };
  return {
    post(delivery, length) {
      if (end !== null) return;
      drop(delivery.delivery_id);
      unread.set(delivery.delivery_id, { delivery, dataLength: length });
      dataLength += length;
      while (unread.size > unreadLimits.deliveries || (dataLength > unreadLimits.dataLength && unread.size > 1)) {
        drop(oldestOf(unread));
      }
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
      const { delivery } = unread.get(id) as Unread;
      drop(id);
      return delivery;
    },
    close: () => stop({}),
    fail: (error) => stop({ error }),
  };
}

/** A Map iterates in the order of insertion. It is not empty here. */
const oldestOf = (unread: ReadonlyMap<string, Unread>): string => unread.keys().next().value as string;
