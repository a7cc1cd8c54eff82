/**
 * One event's cost and bytes over all its streams. A hundred costly selections in a row would hold the event loop, with
 * all results in memory: so concurrent costs have a bound, equal selections with equal rights are executed and printed
 * once, and a key with too much unread gets nothing more.
 */
import type { ExecutionResult } from 'graphql';
import { type FairTurns, turnLimits } from '../../kernel/lib/fair-turns.ts';
import { addTo, type Tally } from '../../kernel/lib/tally.ts';

export const streamLimits = {
  /** Executed at once, unless one execution alone has more. */
  cost: 20_000,
  /** Executions of one key at once. */
  ofKey: 4,
  /** Cost of any execution, at least: cheap ones can have large results. */
  leastCost: 1_250,
  /** Up to this cost, the only execution of a key does not wait for those of others: they may take seconds. */
  light: 100,
  /** Weight of any result, at least: printing and sending takes as long. */
  leastWeight: turnLimits.perTurn / 8,
  unreadBytes: 16_777_216,
  /** Unread bytes of a process: beyond these, only keys without any get more. */
  unreadBytesOfProcess: 67_108_864,
} as const;

export interface StreamTurn {
  readonly keyId: string;
  /** Those of the caller, which decide the result as the selection does. */
  readonly rights: string;
  readonly cost: number;
  /** Equal where the result is: the operation, its variables, and the event. */
  readonly selection: string;
  readonly unread: () => number;
  readonly signal: AbortSignal;
  /** A stream is given a result, which counts as unread from now on. */
  readonly took?: (result: ExecutionResult) => void;
}

type Execute = () => Promise<ExecutionResult>;

/** What equal selections wait for. Null while it is executed. A failure may be its stream's alone, which ended meanwhile. */
interface Equal {
  result: ExecutionResult | 'failed' | null;
}

export type StreamTurns = ReturnType<typeof createStreamTurns>;

export function createStreamTurns(turns: FairTurns) {
  const streams = new Map<string, Set<() => number>>();
  const waiting: Tally = new Map();
  const shared = new Map<string, Equal>();
  const executing: Tally = new Map();
  let cost = 0;

  const unreadOf = (ofKey: Iterable<() => number> = []): number => {
    let bytes = 0;
    for (const unread of ofKey) bytes += unread();
    return bytes;
  };
  function isRead(keyId: string): boolean {
    const own = unreadOf(streams.get(keyId));
    if (own === 0) return true;
    if (own > streamLimits.unreadBytes) return false;
    let all = 0;
    for (const ofKey of streams.values()) all += unreadOf(ofKey);
    return all <= streamLimits.unreadBytesOfProcess;
  }
  function fits(turn: StreamTurn): boolean {
    const own = executing.get(turn.keyId) ?? 0;
    if (own === 0 && turn.cost <= streamLimits.light) return true;
    return own < streamLimits.ofKey && (cost === 0 || cost + costOf(turn) <= streamLimits.cost);
  }
  function isReady(turn: StreamTurn): boolean {
    const equal = shared.get(nameOf(turn))?.result;
    if (equal === null) return false;
    return isRead(turn.keyId) && (typeof equal === 'object' || fits(turn));
  }

  async function resultFor(turn: StreamTurn, execute: Execute): Promise<ExecutionResult> {
    const name = nameOf(turn);
    const others = addTo(waiting, name, -1);
    const equal = shared.get(name);
    if (others === 0) shared.delete(name);
    if (turn.signal.aborted) return {};
    if (typeof equal?.result === 'object' && equal.result !== null) {
      turn.took?.(equal.result);
      return equal.result;
    }
    const own: Equal = equal ?? { result: null };
    if (others > 0) shared.set(name, own);
    const more = costOf(turn);
    cost += more;
    addTo(executing, turn.keyId, 1);
    try {
      const result = await execute();
      own.result = result.errors === undefined ? result : 'failed';
      turn.took?.(result);
      return result;
    } finally {
      own.result ??= 'failed';
      cost -= more;
      addTo(executing, turn.keyId, -1);
      turns.wake();
    }
  }

  return {
    take: (turn: StreamTurn, execute: Execute): Promise<ExecutionResult> =>
      new Promise((resolve) => {
        const name = nameOf(turn);
        addTo(waiting, name, 1);
        turns.add({
          // Streams hold up nothing else of their key.
          owner: `${turn.keyId} streams`,
          weight: Math.max(turn.cost, streamLimits.leastWeight),
          isReady: () => turn.signal.aborted || isReady(turn),
          begin: () => resolve(resultFor(turn, execute)),
          waiter: {
            get isGone() {
              return turn.signal.aborted;
            },
          },
        });
      }),
    open({ keyId, unread }: Pick<StreamTurn, 'keyId' | 'unread'>) {
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

const costOf = ({ cost }: StreamTurn): number => Math.max(cost, streamLimits.leastCost);

const nameOf = ({ rights, selection }: StreamTurn): string => `${rights} ${selection}`;
