/**
 * Bytes of large rows read at a time, per operation, per workspace and in all: a row may have 0.9 MB. And the turns of
 * statements that look at many rows: SQLite has one thread for all that read.
 */

import { retrySoon, ServiceError } from '../kernel/errors.ts';
import { onAbort } from '../kernel/lib/abort-signal.ts';
import { createFairTurns } from '../kernel/lib/fair-turns.ts';
import { addTo, type Tally } from '../kernel/lib/tally.ts';
import type { RequestContext, Spent } from '../kernel/request-context.ts';
import type { DatabaseKind } from './json.ts';

export const readLimits = {
  /** The default limit of a response. */
  operation: 16_777_216,
  workspace: 33_554_432,
  process: 67_108_864,
  /** Size of columns that the database takes entries out of, per statement: parsing them takes it seconds. */
  parsed: 67_108_864,
  /** Wait for capacity, in milliseconds. */
  waitMs: 5_000,
} as const;

interface WaitingRead {
  readonly context: RequestContext;
  readonly bytes: number;
  readonly start: () => void;
}

export type ReadBudget = ReturnType<typeof createReadBudget>;

/** Bounds of lists that are read in slices. A slice takes some ten milliseconds. */
export const sliceLimits = {
  /** Looked at by one statement, in each range of an index. */
  rows: 5_000,
  /** Slices of one page, or one count. */
  ofList: 10,
  /** Slices of an operation: each of its lists has one nevertheless. */
  ofOperation: 50,
} as const;

/** Statements at a time that look at many rows: SQLite reads with one thread. */
export const scansAtOnce = { sqlite: 1, postgres: 4 } as const satisfies Record<DatabaseKind, number>;

export function createReadBudget(
  limits: Readonly<Record<keyof typeof readLimits, number>> = readLimits,
  maxScans: number = scansAtOnce.sqlite,
  slices: Readonly<Record<keyof typeof sliceLimits, number>> = sliceLimits,
) {
  const scans = createFairTurns();
  let scanning = 0;
  const ofWorkspace: Tally = new Map();
  const waiting = new Set<WaitingRead>();
  let held = 0;
  /**
   * Operations that hold bytes and wait for more would wait for each other. One of them at a time goes ahead, beyond what
   * all may hold by no more than it may read.
   */
  let ahead: Spent | null = null;

  const add = ({ caller: { workspaceId }, spent }: RequestContext, bytes: number) => {
    held += bytes;
    spent.heldBytes += bytes;
    if (ahead === spent && spent.heldBytes === 0) ahead = null;
    addTo(ofWorkspace, workspaceId, bytes);
  };

  const hasShare = ({ caller: { workspaceId } }: RequestContext, bytes: number): boolean =>
    (ofWorkspace.get(workspaceId) ?? 0) + bytes <= limits.workspace;

  /** @returns whether there was room */
  function tryHold(context: RequestContext, bytes: number): boolean {
    const { spent } = context;
    if (held + bytes > limits.process || !hasShare(context, bytes)) {
      if (spent.heldBytes === 0 || (ahead ?? spent) !== spent) return false;
      ahead = spent;
    }
    add(context, bytes);
    return true;
  }

  /**
   * In order of arrival: small reads would starve a large one. A workspace that has its share holds up its own alone, and who
   * holds bytes goes on.
   */
  function startWaiting(): void {
    const full = new Set<string>();
    let isFull = false;
    for (const each of waiting) {
      const { context, bytes, start } = each;
      const { workspaceId } = context.caller;
      if (context.spent.heldBytes === 0 && (isFull || full.has(workspaceId))) continue;
      if (tryHold(context, bytes)) {
        waiting.delete(each);
        start();
      } else if (hasShare(context, bytes)) isFull = true;
      else full.add(workspaceId);
    }
  }

  async function waitForRoom(context: RequestContext, bytes: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const mine: WaitingRead = { context, bytes, start: resolve };
    const giveUp = () => {
      if (!waiting.delete(mine)) return;
      reject(noRoom());
      startWaiting();
    };
    const timer = setTimeout(giveUp, limits.waitMs);
    waiting.add(mine);
    onAbort(context.signal, giveUp);
    startWaiting();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      context.signal.removeEventListener('abort', giveUp);
    }
  }

  return {
    slices,
    /** Runs statements that look at many rows, when the API key has its turn. @throws the reason of an aborted request */
    async scan<Result>({ caller: { keyId }, signal }: RequestContext, work: () => Promise<Result>): Promise<Result> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const begin = () => {
        scanning += 1;
        resolve();
      };
      scans.add({ owner: keyId, weight: 1, isReady: () => scanning < maxScans, begin });
      await promise;
      try {
        if (signal.aborted) throw signal.reason;
        return await work();
      } finally {
        scanning -= 1;
        scans.wake();
      }
    },
    /** @throws ServiceError `limit_too_high` for more than one statement may parse */
    requireParsable(bytes: number) {
      if (bytes > limits.parsed) throw tooMuch(limits.parsed);
    },
    /**
     * Resolves when there is capacity, which the operation holds until its response is printed.
     * @returns releases it earlier; for a context without an end
     * @throws ServiceError `limit_too_high` beyond an operation's limit, `service_unavailable` without capacity in time
     */
    async take(context: RequestContext, bytes: number): Promise<() => void> {
      const { spent } = context;
      if (spent.readBytes + bytes > limits.operation) throw tooMuch(limits.operation);
      spent.readBytes += bytes;
      try {
        if (waiting.size > 0 || !tryHold(context, bytes)) await waitForRoom(context, bytes);
      } catch (error) {
        spent.readBytes -= bytes;
        throw error;
      }
      let isHeld = true;
      const giveBack = () => {
        if (!isHeld) return;
        isHeld = false;
        spent.readBytes -= bytes;
        add(context, -bytes);
        startWaiting();
      };
      context.whenPrinted?.(giveBack);
      return giveBack;
    },
  };
}

const tooMuch = (limit: number) =>
  new ServiceError('limit_too_high', {
    detail: `The operation would read more than ${limit} bytes of stored data. Request fewer items or fields.`,
  });

const noRoom = () =>
  new ServiceError('service_unavailable', {
    detail: 'Too much stored data is being read at once. Try again later, or request fewer items.',
    headers: retrySoon,
  });
