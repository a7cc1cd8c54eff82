/**
 * Emissions of a workspace that wait for a row that others have locked keep their connections, and those of all other workspaces
 * wait for one. So a workspace has at most all connections at once, and after such a wait a single one, until an emission is
 * stored. Whoever stands in its line would meet the same row, and is refused with the one that did.
 */
import { LRUCache } from 'lru-cache';
import { DatabaseFault } from '../store/faults.ts';

/** Workspaces whose last emission met a locked row. */
const maxStuck = 1_000;

interface Line {
  running: number;
  readonly waiting: Set<PromiseWithResolvers<void>>;
}

/** @param atOnce emissions of a workspace: as many as there are connections. @returns carries out one of a workspace */
export function createEmissionLines(atOnce: number) {
  const lines = new Map<string, Line>();
  const stuck = new LRUCache<string, true>({ max: maxStuck });

  const hasPlace = (workspaceId: string, { running }: Line) => running < (stuck.has(workspaceId) ? 1 : atOnce);

  /** The next in line has its place already when the one before it goes. */
  function leave(workspaceId: string, line: Line): void {
    line.running -= 1;
    for (const next of line.waiting) {
      if (!hasPlace(workspaceId, line)) break;
      line.waiting.delete(next);
      line.running += 1;
      next.resolve();
    }
    if (line.running === 0) lines.delete(workspaceId);
  }

  return async <Result>(workspaceId: string, emission: () => Promise<Result>): Promise<Result> => {
    const line = lines.get(workspaceId) ?? { running: 0, waiting: new Set() };
    lines.set(workspaceId, line);
    if (hasPlace(workspaceId, line)) line.running += 1;
    else {
      const place = Promise.withResolvers<void>();
      line.waiting.add(place);
      await place.promise;
    }
    try {
      const result = await emission();
      stuck.delete(workspaceId);
      return result;
    } catch (error) {
      if (error instanceof DatabaseFault && error.reason === 'slow') {
        stuck.set(workspaceId, true);
        for (const place of line.waiting) place.reject(error);
        line.waiting.clear();
      }
      throw error;
    } finally {
      leave(workspaceId, line);
    }
  };
}
