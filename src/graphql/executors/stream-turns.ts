/**
 * One event's cost over all its streams. A hundred costly selections in a row would hold the event loop, with all
 * results in memory: so concurrent costs have a bound, equal selections with equal rights are executed once, and a key with too
 * much unread gets nothing more.
 */
import type { ExecutionResult } from 'graphql';
import { type FairTurns, turnLimits } from '../../kernel/lib/fair-turns.ts';
import { addTo, type Tally } from '../../kernel/lib/tally.ts';

export const streamLimits = {
  /** Executed at once, unless one execution alone has more. */
  cost: 20_000,
  /** Of any result: printing and sending takes as long. */
  leastWeight: turnLimits.perTurn / 8,
  unreadBytes: 16_777_216,
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
}

type Execute = () => Promise<ExecutionResult>;

export type StreamTurns = ReturnType<typeof createStreamTurns>;

export function createStreamTurns(turns: FairTurns) {
  const streams = new Map<string, Set<() => number>>();
  const waiting: Tally = new Map();
  const shared = new Map<string, Promise<ExecutionResult>>();
  let cost = 0;

  const isUnread = (keyId: string): boolean => {
    let bytes = 0;
    for (const unread of streams.get(keyId) ?? []) bytes += unread();
    return bytes > streamLimits.unreadBytes;
  };
  const isReady = (turn: StreamTurn): boolean =>
    !isUnread(turn.keyId) && (cost === 0 || cost + turn.cost <= streamLimits.cost || shared.has(nameOf(turn)));

  function resultFor(turn: StreamTurn, execute: Execute): Promise<ExecutionResult> {
    const name = nameOf(turn);
    const others = addTo(waiting, name, -1);
    // The failure may be its stream's alone, which ended meanwhile.
    const equal = shared.get(name)?.then((each) => (each.errors === undefined ? each : executed(turn, execute)));
    const result = turn.signal.aborted ? Promise.resolve({}) : (equal ?? executed(turn, execute));
    if (others === 0) shared.delete(name);
    else if (!turn.signal.aborted) shared.set(name, result);
    return result;
  }

  async function executed(turn: StreamTurn, execute: Execute): Promise<ExecutionResult> {
    cost += turn.cost;
    try {
      return await execute();
    } finally {
      cost -= turn.cost;
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

const nameOf = ({ rights, selection }: StreamTurn): string => `${rights} ${selection}`;
