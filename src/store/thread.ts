/** Worker threads: orders and reports are plain data. */
import { Worker } from 'node:worker_threads';

/** The thread died with the order, perhaps in the middle of it. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

/** Large results would let a thread's young generation grow to 64 MiB. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };

/** Results in one round of the event loop: Node.js has up to a thousand messages of a thread in one, and each begins work. */
export const resultsPerRound = 16;

/** Null asks the thread to close what it has opened, and to end. */
export type ThreadJob<Order> = { readonly id: number; readonly order: Order } | null;

export interface ThreadResult<Report> {
  readonly id: number;
  readonly report: Report;
}

export type Thread<Order, Report> = ReturnType<typeof openThread<Order, Report>>;

/**
 * Starts with its first order, and keeps no idle process alive. If it dies, pending orders are rejected, and the next
 * one starts another. @param entry its program, `workerData` the input, `name` for errors
 */
export function openThread<Order, Report>(entry: URL, workerData: unknown, name: string) {
  const inFlight = new Map<number, PromiseWithResolvers<Report>>();
  let thread: Worker | null = null;
  let lastId = 0;
  let ends = 0;
  const arrived: (() => void)[] = [];
  let handedOut = 0;

  function handOut(): void {
    for (const give of arrived.splice(0, resultsPerRound - handedOut)) {
      handedOut += 1;
      give();
    }
  }
  function beginRound(): void {
    handedOut = 0;
    handOut();
    if (handedOut > 0) setImmediate(beginRound);
  }
  /** At once, or in one of the next rounds. */
  function handOn(give: () => void): void {
    if (handedOut === 0 && arrived.length === 0) setImmediate(beginRound);
    arrived.push(give);
    handOut();
  }

  const start = (): Worker => {
    const started = new Worker(entry, { workerData, resourceLimits });
    let cause: unknown;
    started.on('message', ({ id, report }: ThreadResult<Report>) => {
      const job = inFlight.get(id);
      inFlight.delete(id);
      if (inFlight.size === 0) started.unref();
      handOn(() => job?.resolve(report));
    });
    // "exit" follows.
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
    /** Spares the first order a wait. */
    start() {
      thread ??= start();
    },
    /** One order at a time. */
    async run(order: Order): Promise<Report> {
      const job = Promise.withResolvers<Report>();
      lastId += 1;
      thread ??= start();
      // An order that cannot be cloned throws here.
      thread.postMessage({ id: lastId, order } satisfies ThreadJob<Order>);
      inFlight.set(lastId, job);
      thread.ref();
      return job.promise;
    },
    /** Running or waiting orders. */
    get inFlight() {
      return inFlight.size;
    },
    /** How often the thread has ended: a change means that its state between two orders is lost. */
    get ends() {
      return ends;
    },
    /** Resolves when pending orders and the thread have ended. */
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
