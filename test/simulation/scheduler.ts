/**
 * Virtual time: what happens next is the event with the earliest time, and of those of one time the seed decides. Between two
 * events all promises run to their ends, so nothing but the seed orders what happens.
 */
import type { Random } from '../support/random.ts';

export interface Scheduler {
  /** Milliseconds since the start. It never goes back. */
  readonly now: number;
  /** Runs work in so many milliseconds. @returns cancels it */
  in(ms: number, work: () => void, kind?: EventKind): () => void;
  /** Runs the next event. @returns false if there is none */
  step(): Promise<boolean>;
  /** The time of the next event that is no timer of an engine; infinity if there is none. */
  nextOccurrence(): number;
  /**
   * Goes to a later time, as if nothing had happened until then. Timers of engines that would have fired meanwhile, again and
   * again, fire within their usual time after it.
   */
  skipTo(time: number): void;
}

/** A timer of an engine is the beginning of what an engine does by itself, such as looking for work. */
export type EventKind = 'timer' | 'occurrence';

interface Event {
  time: number;
  readonly rank: number;
  readonly sequence: number;
  readonly kind: EventKind;
  readonly work: () => void;
  cancelled: boolean;
}

export function createScheduler(random: Random): Scheduler {
  let now = 0;
  let sequence = 0;
  const events = createHeap();
  return {
    get now() {
      return now;
    },
    in(ms, work, kind = 'occurrence') {
      sequence += 1;
      const event = { time: now + ms, rank: random.int(2 ** 31), sequence, kind, work, cancelled: false };
      events.push(event);
      return () => {
        event.cancelled = true;
      };
    },
    async step() {
      let event = events.pop();
      while (event?.cancelled) event = events.pop();
      if (event === undefined) return false;
      now = event.time;
      event.work();
      await promisesRun();
      return true;
    },
    nextOccurrence() {
      let next = Number.POSITIVE_INFINITY;
      for (const { kind, time, cancelled } of events.all())
        if (kind === 'occurrence' && !cancelled) next = Math.min(next, time);
      return next;
    },
    skipTo(time) {
      const all = events.drain().filter(({ cancelled }) => !cancelled);
      for (const event of all) {
        if (event.time < time) event.time = time + random.int(event.time - now + 1);
        events.push(event);
      }
      now = time;
    },
  };
}

/** Resolves when every promise has run to where it waits for an event. */
const promisesRun = () => new Promise<void>((resolve) => void setImmediate(resolve));

const precedes = (one: Event, other: Event): boolean =>
  one.time - other.time < 0 ||
  (one.time === other.time && (one.rank < other.rank || (one.rank === other.rank && one.sequence < other.sequence)));

/** A binary heap: the first event is on top. */
function createHeap() {
  let heap: Event[] = [];
  const at = (index: number): Event => heap[index] as Event;
  const swap = (one: number, other: number) => {
    [heap[one], heap[other]] = [at(other), at(one)];
  };
  return {
    all: (): readonly Event[] => heap,
    drain() {
      const all = heap;
      heap = [];
      return all;
    },
    push(event: Event) {
      let index = heap.push(event) - 1;
      while (index > 0) {
        const parent = (index - 1) >> 1;
        if (!precedes(at(index), at(parent))) return;
        swap(index, parent);
        index = parent;
      }
    },
    pop(): Event | undefined {
      const first = heap[0];
      const last = heap.pop();
      if (first === undefined || last === undefined || heap.length === 0) return first;
      heap[0] = last;
      for (let index = 0; ; ) {
        let least = index;
        for (const child of [2 * index + 1, 2 * index + 2]) {
          if (child < heap.length && precedes(at(child), at(least))) least = child;
        }
        if (least === index) return first;
        swap(least, index);
        index = least;
      }
    },
  };
}
