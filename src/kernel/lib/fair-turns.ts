/**
 * Fair turns of the event loop: heavy pieces of work begin a few in each turn, and light ones do not wait.
 *
 * Self-clocked fair queueing (Golestani, INFOCOM 1994) decides the order: an owner's piece would end, with equal shares
 * for all, at the end of its piece before, or now, plus its weight; the earliest end begins. So owners share by weight,
 * small work overtakes large, and nobody waits for ever.
 */
import { setImmediate } from 'node:timers';

/** In weights: one is one or two microseconds, as of the cost of an operation. */
export const turnLimits = {
  /** Up to this weight, pieces do not wait. */
  light: 500,
  /** Unless one piece alone has more. */
  perTurn: 5_000,
  /** The interval of the check whether blocked pieces can begin. */
  retryMs: 20,
} as const;

/** Whoever waits for a turn. */
export interface Waiter {
  /** Its work has been given up: its turn takes no time. */
  readonly isGone: boolean;
}

interface Piece {
  readonly owner: string;
  readonly weight: number;
  /** Until then, the owner's others wait behind it. */
  readonly isReady: () => boolean;
  readonly begin: () => void;
  readonly waiter?: Waiter | undefined;
}

/** The weight of parsing or printing JSON of this length. */
export const weightOfBytes = (bytes: number): number => bytes / 256;

interface Waiting extends Piece {
  readonly end: number;
}

const always = (): boolean => true;

export type FairTurns = ReturnType<typeof createFairTurns>;

/** One per event loop. */
export function createFairTurns() {
  const waiting = new Map<string, Waiting[]>();
  let clock = 0;
  let isScheduled = false;
  let isRetrying = false;
  let isGiving = false;

  const endTurn = () => {
    isGiving = false;
  };

  const schedule = () => {
    if (isScheduled || waiting.size === 0) return;
    isScheduled = true;
    setImmediate(giveTurns);
    // Of the same round of the event loop: between the two runs whatever the pieces begin with.
    setImmediate(endTurn);
  };

  function nextReady(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const [first] of waiting.values()) {
      if (first !== undefined && (next === undefined || first.end < next.end) && first.isReady()) next = first;
    }
    return next;
  }

  function giveTurns(): void {
    isScheduled = false;
    isGiving = true;
    let given = 0;
    for (let next = nextReady(); next !== undefined; next = nextReady()) {
      const weight = next.waiter?.isGone === true ? 0 : next.weight;
      if (given > 0 && given + weight > turnLimits.perTurn) break;
      const queue = waiting.get(next.owner) ?? [];
      queue.shift();
      if (queue.length === 0) waiting.delete(next.owner);
      // A piece that could not begin before may end earlier than those that began meanwhile.
      clock = Math.max(clock, next.end);
      given += weight;
      next.begin();
    }
    if (given > 0) schedule();
    else if (!isRetrying) retry();
  }

  function retry(): void {
    isRetrying = true;
    setTimeout(() => {
      isRetrying = false;
      schedule();
    }, turnLimits.retryMs).unref();
  }

  function add(piece: Piece): void {
    const { owner, weight, isReady, begin, waiter } = piece;
    const queue = waiting.get(owner);
    const next = { owner, weight, isReady, begin, waiter, end: Math.max(queue?.at(-1)?.end ?? 0, clock) + weight };
    if (queue === undefined) waiting.set(owner, [next]);
    else queue.push(next);
    schedule();
  }

  return {
    /** Begins a piece in its turn, however light. */
    add,
    wake: schedule,
    /** Whether what runs is work of a turn: a piece that has begun, up to its next wait. */
    get isGiving() {
      return isGiving;
    },
    /** Waits for a turn; work has to begin as soon as the promise resolves. @returns null for a light piece */
    take: (owner: string, weight: number, waiter?: Waiter): Promise<void> | null =>
      weight <= turnLimits.light
        ? null
        : new Promise((begin) => {
            add({ owner, weight, isReady: always, begin, waiter });
          }),
  };
}

/** Waits for a turn. @param weight default: that of the request, whose other pieces then share the turn */
export type Turn = (weight?: number) => Promise<void> | null;

/** @param usual the default weight of a piece */
export function turnsOfRequest(turns: FairTurns, owner: string, usual: number, waiter?: Waiter): Turn {
  let pending: Promise<void> | null = null;
  return (weight) => {
    if (weight !== undefined) return turns.take(owner, weight, waiter);
    // A read that did not wait goes on in the turn that it began in.
    if (turns.isGiving) return null;
    pending ??=
      turns.take(owner, usual, waiter)?.then(() => {
        pending = null;
      }) ?? null;
    return pending;
  };
}
