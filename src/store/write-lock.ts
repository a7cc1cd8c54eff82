/** One writer at a time on a SQLite file in this process: connections that meet at the file would have to sleep. */
import { resolve } from 'node:path';

export interface WriteLock {
  /** Resolves when the lock is held. @returns releases it */
  acquire(): Promise<() => void>;
}

const locks = new Map<string, WriteLock>();

/** The lock of a file, which all connections of the process share. */
export function writeLockOf(file: string): WriteLock {
  const path = resolve(file);
  const lock = locks.get(path) ?? createLock();
  locks.set(path, lock);
  return lock;
}

function createLock(): WriteLock {
  let last: Promise<void> = Promise.resolve();
  return {
    async acquire() {
      const before = last;
      const { promise, resolve: release } = Promise.withResolvers<void>();
      last = promise;
      await before;
      return release;
    },
  };
}
