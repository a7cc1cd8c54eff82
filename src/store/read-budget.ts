/** Bytes of large rows read at a time, per operation, per workspace and in all: a row may have 0.9 MB. */

import { ServiceError } from '../kernel/errors.ts';
import { onAbort } from '../kernel/lib/on-abort.ts';
import type { RequestContext } from '../kernel/request-context.ts';

export const readLimits = {
  /** The default limit of a response. */
  operation: 16_777_216,
  workspace: 33_554_432,
  process: 67_108_864,
  /** Of columns that the database takes entries out of, per statement: parsing them takes it seconds. */
  parsed: 67_108_864,
  /** Wait for capacity, in milliseconds. */
  waitMs: 5_000,
} as const;

export interface ReadBudget {
  /**
   * Resolves when there is capacity, which the operation holds until its response is printed.
   * @returns releases it earlier; for a context without an end
   * @throws ServiceError `limit_too_high` beyond an operation's limit, `service_unavailable` without capacity in time
   */
  take(context: RequestContext, bytes: number): Promise<() => void>;
  /** @throws ServiceError `limit_too_high` for more than one statement may parse */
  requireParsable(bytes: number): void;
}

interface WaitingRead {
  readonly workspaceId: string;
  readonly bytes: number;
  readonly start: () => void;
}

export function createReadBudget(limits: Readonly<Record<keyof typeof readLimits, number>> = readLimits): ReadBudget {
  const ofWorkspace = new Map<string, number>();
  const waiting = new Set<WaitingRead>();
  let held = 0;

  const hold = (workspaceId: string, bytes: number) => {
    held += bytes;
    const ofThis = (ofWorkspace.get(workspaceId) ?? 0) + bytes;
    if (ofThis === 0) ofWorkspace.delete(workspaceId);
    else ofWorkspace.set(workspaceId, ofThis);
  };
  const hasRoom = ({ workspaceId, bytes }: Pick<WaitingRead, 'workspaceId' | 'bytes'>) =>
    held + bytes <= limits.process && (ofWorkspace.get(workspaceId) ?? 0) + bytes <= limits.workspace;

  /** In order of arrival, past those whose workspace has its share. */
  function startWaiting(): void {
    for (const each of waiting) {
      if (!hasRoom(each)) continue;
      waiting.delete(each);
      hold(each.workspaceId, each.bytes);
      each.start();
    }
  }

  function room({ caller: { workspaceId }, signal }: RequestContext, bytes: number): Promise<void> {
    if (hasRoom({ workspaceId, bytes })) {
      hold(workspaceId, bytes);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (waiting.delete(mine)) reject(noRoom());
        stop();
      };
      const timer = setTimeout(giveUp, limits.waitMs);
      const stop = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
      };
      const start = () => {
        stop();
        resolve();
      };
      const mine: WaitingRead = { workspaceId, bytes, start };
      waiting.add(mine);
      onAbort(signal, giveUp);
    });
  }

  return {
    requireParsable(bytes) {
      if (bytes > limits.parsed) throw tooMuch(limits.parsed);
    },
    async take(context, bytes) {
      const { spent } = context;
      if (spent.readBytes + bytes > limits.operation) throw tooMuch(limits.operation);
      const { workspaceId } = context.caller;
      const forget = () => {
        spent.readBytes -= bytes;
      };
      spent.readBytes += bytes;
      await room(context, bytes).catch((error: unknown) => {
        forget();
        throw error;
      });
      let isHeld = true;
      const giveBack = () => {
        if (!isHeld) return;
        isHeld = false;
        forget();
        hold(workspaceId, -bytes);
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
    headers: { 'retry-after': '5' },
  });
