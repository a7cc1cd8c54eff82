/** Locks a SQLite file for one gateway, by the lock of an empty file beside it, which ends with the process. */
import { busyMs, openDatabaseFile, realPath } from './database-file.ts';

export interface GatewayLock {
  close(): void;
}

/** @returns null if another gateway is in the way: any, if `alone`; else one that is alone */
export function lockAsGateway(file: string, { alone }: { readonly alone: boolean }): GatewayLock | null {
  if (file === ':memory:') return { close: () => undefined };
  // Waits for a gateway that is stopping.
  const lock = openDatabaseFile(`${realPath(file)}-gateways`, { access: 'create', timeout: busyMs });
  try {
    // Node.js has no other file locks. A transaction that has read holds a shared one.
    lock.exec(`pragma journal_mode = memory; ${alone ? 'begin exclusive' : 'begin; select 1 from sqlite_schema'}`);
    return lock;
  } catch {
    lock.close();
    return null;
  }
}
