/**
 * Whether a gateway is the only one on its SQLite file, which caches that nobody else can invalidate require. Each gateway holds
 * a lock of an empty file beside the database, which the system releases when the process dies.
 */
import { busyMs, openDatabaseFile, realPath } from './database-file.ts';

export interface GatewayLock {
  close(): void;
}

/** @returns null if another gateway is in the way: any, if this one must be alone, or one that must be */
export function lockAsGateway(file: string, { alone }: { readonly alone: boolean }): GatewayLock | null {
  if (file === ':memory:') return { close: () => undefined };
  // A gateway that is stopping is waited for.
  const lock = openDatabaseFile(`${realPath(file)}-gateways`, { access: 'create', timeout: busyMs });
  try {
    // SQLite's are the only locks of files that Node.js has. A transaction that has read holds one that others share.
    lock.exec(`pragma journal_mode = memory; ${alone ? 'begin exclusive' : 'begin; select 1 from sqlite_schema'}`);
    return lock;
  } catch {
    lock.close();
    return null;
  }
}
