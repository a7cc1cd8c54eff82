/**
 * Emissions of a workspace that wait for a row that others have locked keep their connections, and those of all other workspaces
 * wait for one. So a workspace has at most all connections at once, and after such a wait a single one, until an emission is
 * stored. Whoever stands in its line would meet the same row, and is refused with the one that did.
 */
import { LRUCache } from 'lru-cache';
import { createKeyedLock } from '../kernel/lib/keyed-lock.ts';
import { DatabaseFault } from '../store/faults.ts';

/** Workspaces whose last emission met a locked row. */
const maxStuck = 1_000;

/** @param atOnce emissions of a workspace: as many as there are connections. @returns carries out one of a workspace */
export function createEmissionLines(atOnce: number) {
  const stuck = new LRUCache<string, true>({ max: maxStuck });
  const lines = createKeyedLock(undefined, (workspaceId) => (stuck.has(workspaceId) ? 1 : atOnce));

  return async <Result>(workspaceId: string, emission: () => Promise<Result>): Promise<Result> => {
    const leave = await lines.acquire(workspaceId);
    try {
      const result = await emission();
      stuck.delete(workspaceId);
      return result;
    } catch (error) {
      if (error instanceof DatabaseFault && error.reason === 'slow') {
        stuck.set(workspaceId, true);
        lines.refuse(workspaceId, error);
      }
      throw error;
    } finally {
      leave();
    }
  };
}
