/**
 * Commands of a workspace that wait for what others have locked keep their connections, and those of all other workspaces
 * wait for one. So a workspace has a number of connections at once, and after such a wait a single one, until a command of
 * the same subject is carried out, or none has met a lock for a while. All such workspaces together have no more than one
 * had before. Whoever asks for the same meanwhile would meet the same lock, and is refused with the one that did.
 */
import { LRUCache } from 'lru-cache';
import { type AbortSignalLike, underDeadline } from '../kernel/lib/abort-signal.ts';
import { createKeyedLock } from '../kernel/lib/keyed-lock.ts';
import { isObject } from '../kernel/lib/objects.ts';
import { wrapMethods } from '../kernel/ports.ts';
import type { DatabaseLocation } from './database.ts';
import { divideConnections } from './databases.ts';
import { DatabaseFault } from './faults.ts';
import { postgresDefaults } from './postgres-settings.ts';

/** Workspaces of which a command has met a lock. */
const maxStuck = 1_000;

/** Milliseconds without such a wait, after which a workspace has its number of connections again. */
const stuckMs = 10_000;

interface Command {
  readonly workspaceId: string;
  /** The id of what it acts on; by default the workspace. */
  readonly subject?: string | undefined;
  readonly signal?: AbortSignalLike | null;
}

export type InLine = <Result>(command: Command, work: () => Promise<Result>) => Promise<Result>;

/** Connections of a pool that no workspace takes alone: one is for reads, and for the engine. */
const left = 2;

/** Lines to a pool. SQLite has one writer, and needs no line. */
export function linesOf(location: DatabaseLocation, pool: 'jobs' | 'deliveries'): InLine {
  if (location.kind === 'sqlite') return (_command, work) => work();
  const { connections, connectTimeoutMs } = location.settings ?? postgresDefaults;
  return createWorkspaceLines(Math.max(1, divideConnections(connections)[pool] - left), connectTimeoutMs);
}

/**
 * @param atOnce commands of a workspace before one has met a lock, and of all together of which one has
 * @param waitMs the longest wait for a turn, in milliseconds
 * @returns carries out a command; its work must not ask for a turn. @throws as the work does; DatabaseFault; the signal's reason
 */
export function createWorkspaceLines(atOnce: number, waitMs: number): InLine {
  /** By workspace, the subject that met a lock last. */
  const stuck = new LRUCache<string, string>({ max: maxStuck, ttl: stuckMs });
  const lines = createKeyedLock(undefined, (workspaceId) => (stuck.has(workspaceId) ? 1 : atOnce));
  /** One command of each stuck workspace. No line of all: a long command of one would hold up those that meet no lock. */
  const stuckLine = createKeyedLock(undefined, () => atOnce);

  async function turnOf(workspaceId: string, subject: string, signal: AbortSignal): Promise<() => void> {
    for (;;) {
      try {
        return await lines.acquire(workspaceId, { signal });
      } catch (error) {
        if (signal.aborted || stuck.get(workspaceId) === subject) throw error;
      }
    }
  }

  async function enter(workspaceId: string, subject: string, signal: AbortSignalLike | null): Promise<() => void> {
    let leave = lines.tryAcquire(workspaceId);
    if (leave !== null && !stuck.has(workspaceId)) return leave;
    return underDeadline(waitMs, signal, 'Other commands wait for a lock', async ({ signal: limit }) => {
      try {
        const leaveLine = leave ?? (await turnOf(workspaceId, subject, limit));
        leave = leaveLine;
        if (!stuck.has(workspaceId)) return leaveLine;
        const leaveStuck = await stuckLine.acquire('', { signal: limit });
        return () => {
          leaveStuck();
          leaveLine();
        };
      } catch (error) {
        leave?.();
        if (signal?.aborted || !limit.aborted) throw error;
        // Nobody has found out whether its lock is still there.
        const last = stuck.get(workspaceId);
        if (last !== undefined) stuck.set(workspaceId, last);
        throw new DatabaseFault('busy', error);
      }
    });
  }

  return async ({ workspaceId, subject = '', signal = null }, work) => {
    const leave = await enter(workspaceId, subject, signal);
    try {
      const result = await work();
      if (stuck.get(workspaceId) === subject) stuck.delete(workspaceId);
      return result;
    } catch (error) {
      if (error instanceof DatabaseFault && error.reason === 'slow') {
        stuck.set(workspaceId, subject);
        lines.refuse(workspaceId, error);
      }
      throw error;
    } finally {
      leave();
    }
  };
}

/** Methods of a port that take their turns in the line of the caller's workspace. */
export const commandsInLine = <Commands extends object>(inLine: InLine, commands: Commands): Commands =>
  wrapMethods(
    commands,
    (method) =>
      (context, ...rest) =>
        inLine(
          { workspaceId: context.caller.workspaceId, subject: subjectOf(rest[0]), signal: context.signal },
          async () => method(context, ...rest),
        ),
  );

/** The id of what a command acts on, as its request has it: a delivery is a subject of its own. */
function subjectOf(request: unknown): string | undefined {
  const { webhook_id, delivery_id, id, account_id } = isObject(request) ? request : {};
  const named = webhook_id ?? delivery_id ?? id ?? account_id;
  return typeof named === 'string' ? named : undefined;
}
