import type { After } from '../kernel/lib/after.ts';
import type { Clock } from '../kernel/lib/time-units.ts';

type State =
  | { readonly name: 'stopped' }
  | { readonly name: 'scheduled'; readonly at: number; readonly cancel: () => void }
  | { readonly name: 'flushing'; next: number; isAskedFor: boolean };

/** Before every time: an overdue timer may not have fired, and a flush asked for now does not wait for it. */
const beforeEveryTime = Number.NEGATIVE_INFINITY;

interface FlushScheduleOptions {
  /** Rejects for a mistake of ours alone. */
  readonly flush: () => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** After each flush, with the next one scheduled. @param isAskedFor whether somebody asked for that one */
  readonly onFlushed: (isAskedFor: boolean) => void;
  readonly after: After;
  readonly clock: Clock;
  /** The longest pause. */
  readonly pollMs: number;
}

/**
 * One flush at a time, the next at the earliest time asked for since the last began.
 *
 * scheduled → flushing → scheduled …; each may become stopped, and stopped never ends
 */
export class FlushSchedule {
  readonly #options: FlushScheduleOptions;
  #state: State;

  constructor(options: FlushScheduleOptions) {
    this.#options = options;
    this.#state = this.#scheduled(0);
  }

  get isFlushing(): boolean {
    return this.#state.name === 'flushing';
  }

  within(ms: number): void {
    const at = this.#timeIn(ms);
    const state = this.#state;
    if (state.name === 'flushing') {
      state.next = Math.min(state.next, at);
      state.isAskedFor = true;
    }
    if (state.name !== 'scheduled' || state.at <= at) return;
    state.cancel();
    this.#state = this.#scheduled(ms);
  }

  /** During a flush: none follows for so many milliseconds, whoever has asked. */
  postpone(ms: number): void {
    if (this.#state.name !== 'flushing') return;
    this.#state.next = this.#options.clock() + ms;
    this.#state.isAskedFor = true;
  }

  /** A flush under way ends; there is no other. */
  stop(): void {
    if (this.#state.name === 'scheduled') this.#state.cancel();
    this.#state = { name: 'stopped' };
  }

  #scheduled(ms: number): State {
    const cancel = ms > 0 ? this.#options.after(ms, this.#flush) : afterThis(this.#flush);
    return { name: 'scheduled', at: this.#timeIn(ms), cancel };
  }

  #timeIn(ms: number): number {
    return ms > 0 ? this.#options.clock() + ms : beforeEveryTime;
  }

  readonly #flush = () => {
    const { flush, onError, onFlushed, clock, pollMs } = this.#options;
    const flushing: State = { name: 'flushing', next: clock() + pollMs, isAskedFor: false };
    this.#state = flushing;
    flush()
      .catch(onError)
      .finally(() => {
        if (this.#state === flushing) this.#state = this.#scheduled(Math.max(0, flushing.next - clock()));
        onFlushed(flushing.isAskedFor);
      });
  };
}

/** One flush for all that ask in the same moment. */
function afterThis(work: () => void): () => void {
  let isCancelled = false;
  queueMicrotask(() => {
    if (!isCancelled) work();
  });
  return () => {
    isCancelled = true;
  };
}
