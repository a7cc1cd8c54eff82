/** Work in a thread: orders and reports are plain data. */
import { Worker } from 'node:worker_threads';

export interface Thread<Order, Report> {
  /** Orders are carried out one after the other. */
  run(order: Order): Promise<Report>;
  /** Orders that are carried out, or wait. */
  readonly inFlight: number;
  /** How often the thread has ended: what it kept between two orders is lost if that has changed. */
  readonly ends: number;
  /** Resolves when what is in flight has ended, and the thread with it. */
  close(): Promise<void>;
}

/** The thread died with the order: nobody knows how much of it was carried out. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

/** Of what is short-lived, a thread holds no more than it needs: large results would let it grow to 64 MiB. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };

/** What the thread gets; null asks it to close what it has opened, and to end. */
export type ThreadJob<Order> = { readonly id: number; readonly order: Order } | null;

/** What it makes of a job. */
export type ThreadResult<Report> = { readonly id: number } & (
  | { readonly report: Report }
  | { readonly error: unknown }
);

/**
 * A thread that starts with its first order, and lets the process end when it has none. An error of an order rejects that
 * order. If the thread itself dies, the orders in flight are rejected, and the next order starts another thread.
 * @param entry the program of the thread
 * @param workerData what it is given
 * @param name as errors say it
 */
export function openThread<Order, Report>(entry: URL, workerData: unknown, name: string): Thread<Order, Report> {
  const inFlight = new Map<number, PromiseWithResolvers<Report>>();
  let thread: Worker | null = null;
  let lastId = 0;
  let ends = 0;

  const start = (): Worker => {
    const started = new Worker(entry, { workerData, resourceLimits });
    let cause: unknown;
    started.on('message', (result: ThreadResult<Report>) => {
      const job = inFlight.get(result.id);
      inFlight.delete(result.id);
      if (inFlight.size === 0) started.unref();
      if ('report' in result) job?.resolve(result.report);
      else job?.reject(result.error);
    });
    // An uncaught error ends the thread: "exit" follows.
    started.on('error', (error) => {
      cause = error;
    });
    started.on('exit', () => {
      thread = null;
      ends += 1;
      for (const job of inFlight.values()) job.reject(new ThreadEnded(`The thread of the ${name} ended`, { cause }));
      inFlight.clear();
    });
    started.unref();
    return started;
  };
  return {
    async run(order) {
      const job = Promise.withResolvers<Report>();
      lastId += 1;
      thread ??= start();
      // An order that cannot be sent throws here: nothing waits for it.
      thread.postMessage({ id: lastId, order } satisfies ThreadJob<Order>);
      inFlight.set(lastId, job);
      thread.ref();
      return job.promise;
    },
    get inFlight() {
      return inFlight.size;
    },
    get ends() {
      return ends;
    },
    async close() {
      await Promise.allSettled([...inFlight.values()].map(({ promise }) => promise));
      const open = thread;
      if (open === null) return;
      open.ref();
      const ended = new Promise((resolve) => open.once('exit', resolve));
      open.postMessage(null satisfies ThreadJob<Order>);
      await ended;
    },
  };
}
