/**
 * Slots for the calls that are made at a time: one for each connection. Callers that wait take turns, whatever their
 * numbers of calls, and none of them has all slots: one whose calls hang leaves some to the others.
 */

export interface CallSlots {
  /** Takes a slot; null unless one is free. */
  tryTake(keyId: string): Release | null;
  /** Takes a slot when it is the caller's turn; null when the signal aborts first, or too many wait already. */
  wait(keyId: string, signal: AbortSignal): Promise<Release | null>;
  readonly taken: number;
  readonly waiting: number;
}

/** Gives the slot back: to be called exactly once. */
export type Release = () => void;

/** The share of the slots that one caller may have. */
const maxShare = 0.75;
/** Calls of one caller that may wait, for each slot: further ones would only wait to time out. */
const waitingPerSlot = 32;
/** Calls that may wait in all are so many times those of one caller. */
const waitingCallers = 4;

interface Line {
  taken: number;
  /** Those who wait, in the order in which they came. */
  readonly waiting: Set<() => void>;
}

export function createCallSlots(slots: number): CallSlots {
  const perCaller = Math.ceil(slots * maxShare);
  const maxWaiting = slots * waitingPerSlot;
  /** Of callers that have slots or wait. The one whose turn is longest ago stands first. */
  const lines = new Map<string, Line>();
  let taken = 0;
  let waiting = 0;

  function grant(keyId: string, line: Line): Release {
    taken += 1;
    line.taken += 1;
    return () => {
      taken -= 1;
      line.taken -= 1;
      if (line.taken === 0 && line.waiting.size === 0) lines.delete(keyId);
      if (waiting > 0) next();
    };
  }

  function next(): void {
    for (const [keyId, line] of lines) {
      const [first] = line.waiting;
      if (first === undefined || line.taken >= perCaller) continue;
      lines.delete(keyId);
      lines.set(keyId, line);
      first();
      return;
    }
  }

  const lineOf = (keyId: string): Line => {
    const line = lines.get(keyId) ?? { taken: 0, waiting: new Set() };
    lines.set(keyId, line);
    return line;
  };

  function waitIn(line: Line, keyId: string, signal: AbortSignal): Promise<Release | null> {
    return new Promise((resolve) => {
      const leave = () => {
        waiting -= 1;
        line.waiting.delete(enter);
        signal.removeEventListener('abort', expire);
      };
      const enter = () => {
        leave();
        const release = grant(keyId, line);
        // Deadlines that are over by now come first: a call without time would only look like a failure of the service.
        setImmediate(() => {
          if (signal.aborted) release();
          resolve(signal.aborted ? null : release);
        });
      };
      const expire = () => {
        leave();
        if (line.taken === 0 && line.waiting.size === 0) lines.delete(keyId);
        resolve(null);
      };
      waiting += 1;
      line.waiting.add(enter);
      signal.addEventListener('abort', expire, { once: true });
    });
  }

  return {
    get taken() {
      return taken;
    },
    get waiting() {
      return waiting;
    },
    tryTake(keyId) {
      if (taken >= slots || (lines.get(keyId)?.taken ?? 0) >= perCaller) return null;
      return grant(keyId, lineOf(keyId));
    },
    async wait(keyId, signal) {
      const isFull = waiting >= maxWaiting * waitingCallers || (lines.get(keyId)?.waiting.size ?? 0) >= maxWaiting;
      return signal.aborted || isFull ? null : waitIn(lineOf(keyId), keyId, signal);
    },
  };
}
