/**
 * What one event may cost over all the streams that it concerns. A hundred streams with a costly selection would be executed one after
 * the other, without a turn for anybody else, and their results would all be in memory. So streams take turns: the costs of what is
 * executed at once have a bound, keys follow each other, equal selections of a key are executed once, and a key whose clients have not
 * read what they were sent gets nothing more.
 */
import { setImmediate } from 'node:timers';
import type { ExecutionResult } from 'graphql';

export const turnLimits = {
  /** Cost of what is executed at once, unless one execution alone has more. */
  cost: 20_000,
  /** Results that are given out in one turn of the event loop. */
  perTurn: 8,
  /** Bytes that the clients of one key have not read, of all their streams. */
  unreadBytes: 16_777_216,
  /** How often a key is looked at whose clients do not read, in milliseconds. */
  retryMs: 20,
} as const;

/** A stream to which a result is to go. */
export interface StreamTurn {
  readonly keyId: string;
  /** The cost of its operation. */
  readonly cost: number;
  /** What is equal where the result is: the operation, its variables, and what happened. */
  readonly selection: string;
  /** Bytes that its client has been sent and has not read. */
  readonly unread: () => number;
  /** Aborts when the stream has ended. */
  readonly signal: AbortSignal;
}

interface Waiting extends StreamTurn {
  readonly execute: () => Promise<ExecutionResult>;
  readonly resolve: (result: ExecutionResult | Promise<ExecutionResult>) => void;
}

export interface StreamTurns {
  /** Executes when it is the stream's turn, or gives what was executed for an equal selection of its key. */
  take(turn: StreamTurn, execute: () => Promise<ExecutionResult>): Promise<ExecutionResult>;
  /** Counts what a stream's client has not read for its key, until the stream has ended. */
  open(turn: Pick<StreamTurn, 'keyId' | 'unread'>): { end(): void };
}

export function createStreamTurns(limits: typeof turnLimits = turnLimits): StreamTurns {
  const waiting = new Map<string, Waiting[]>();
  const streams = new Map<string, Set<() => number>>();
  /** What is executed for selections that others wait for. */
  const shared = new Map<string, Promise<ExecutionResult>>();
  let cost = 0;
  let isScheduled = false;

  const schedule = () => {
    if (isScheduled || waiting.size === 0) return;
    isScheduled = true;
    setImmediate(giveTurns);
  };

  const isUnread = (keyId: string): boolean => {
    let bytes = 0;
    for (const unread of streams.get(keyId) ?? []) bytes += unread();
    return bytes > limits.unreadBytes;
  };

  function giveTurns(): void {
    isScheduled = false;
    let given = 0;
    let isBlocked = false;
    for (const [keyId, queue] of [...waiting]) {
      if (given === limits.perTurn) break;
      if (isUnread(keyId)) {
        isBlocked = true;
        continue;
      }
      const [next] = queue;
      if (next === undefined || (cost > 0 && cost + next.cost > limits.cost && !shared.has(nameOf(next)))) continue;
      queue.shift();
      waiting.delete(keyId);
      // Behind the others.
      if (queue.length > 0) waiting.set(keyId, queue);
      given += next.cost > limits.cost / limits.perTurn ? limits.perTurn : 1;
      next.resolve(resultFor(next, queue));
    }
    if (given > 0) schedule();
    else if (isBlocked) setTimeout(schedule, limits.retryMs).unref();
  }

  function resultFor(turn: Waiting, queue: readonly Waiting[]): Promise<ExecutionResult> {
    if (turn.signal.aborted) return Promise.resolve({});
    const name = nameOf(turn);
    // What failed may have failed for its stream alone, which ended meanwhile.
    const equal = shared.get(name)?.then((each) => (each.errors === undefined ? each : executed(turn)));
    const result = equal ?? executed(turn);
    if (queue.some(({ selection }) => selection === turn.selection)) shared.set(name, result);
    else shared.delete(name);
    return result;
  }

  async function executed(turn: Waiting): Promise<ExecutionResult> {
    cost += turn.cost;
    try {
      return await turn.execute();
    } finally {
      cost -= turn.cost;
      schedule();
    }
  }

  return {
    take: (turn, execute) =>
      new Promise((resolve) => {
        const queue = waiting.get(turn.keyId) ?? [];
        queue.push({ ...turn, execute, resolve });
        waiting.set(turn.keyId, queue);
        schedule();
      }),
    open({ keyId, unread }) {
      const ofKey = streams.get(keyId) ?? new Set();
      streams.set(keyId, ofKey.add(unread));
      return {
        end() {
          ofKey.delete(unread);
          if (ofKey.size === 0 && streams.get(keyId) === ofKey) streams.delete(keyId);
        },
      };
    },
  };
}

const nameOf = ({ keyId, selection }: StreamTurn): string => `${keyId} ${selection}`;
