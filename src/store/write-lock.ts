/** One writer at a time per SQLite file in this process: connections that meet at the file would have to sleep. */
import { resolve } from 'node:path';

export interface WriteLock {
  /** @returns releases the lock */
  acquire(): Promise<() => void>;
}

const locks = new Map<string, WriteLock>();

/** Shared by all connections of the process to the file. */
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
