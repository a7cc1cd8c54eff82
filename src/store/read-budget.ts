/**
 * What reading large rows may take: so many bytes for one operation, for one workspace, and for all together. A row of 0.9 MB is as much
 * as a body of a request may have, and an operation lists hundreds.
 */
import { ServiceError } from '../kernel/errors.ts';
import type { RequestContext } from '../kernel/request-context.ts';

export const readLimits = {
  /** As many bytes as the largest response has by default. */
  operation: 16_777_216,
  workspace: 33_554_432,
  process: 67_108_864,
  /** How long a read waits for room, in milliseconds. */
  waitMs: 5_000,
} as const;

export interface ReadBudget {
  /**
   * Resolves when there is room for so many bytes, which the operation holds until its response is sent.
   * @returns a function to give the bytes back earlier, which a context without an end has to be given
   * @throws ServiceError `limit_too_high` beyond what one operation may read, `service_unavailable` when there is no room in time
   */
  take(context: RequestContext, bytes: number): Promise<() => void>;
}

interface Waiting {
  readonly workspaceId: string;
  readonly bytes: number;
  readonly start: () => void;
}

export function createReadBudget(limits: typeof readLimits = readLimits): ReadBudget {
  const ofOperation = new WeakMap<RequestContext, number>();
  const ofWorkspace = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let held = 0;

  const hold = (workspaceId: string, bytes: number) => {
    held += bytes;
    const ofThis = (ofWorkspace.get(workspaceId) ?? 0) + bytes;
    if (ofThis === 0) ofWorkspace.delete(workspaceId);
    else ofWorkspace.set(workspaceId, ofThis);
  };
  const hasRoom = ({ workspaceId, bytes }: Pick<Waiting, 'workspaceId' | 'bytes'>) =>
    held + bytes <= limits.process && (ofWorkspace.get(workspaceId) ?? 0) + bytes <= limits.workspace;

  /** In the order of arrival, past those whose workspace has its share. */
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
      const mine: Waiting = { workspaceId, bytes, start };
      waiting.add(mine);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async take(context, bytes) {
      const read = (ofOperation.get(context) ?? 0) + bytes;
      if (read > limits.operation) throw tooMuch(limits.operation);
      const { workspaceId } = context.caller;
      ofOperation.set(context, read);
      await room(context, bytes);
      let isHeld = true;
      const giveBack = () => {
        if (!isHeld) return;
        isHeld = false;
        ofOperation.set(context, (ofOperation.get(context) ?? bytes) - bytes);
        hold(workspaceId, -bytes);
        startWaiting();
      };
      context.whenClosed?.(giveBack);
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
