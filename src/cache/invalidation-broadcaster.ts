/** Sends invalidations to other processes, again until they are sent. */

export interface InvalidationBroadcaster {
  broadcast(tenant: string): Promise<void>;
  hasPending(tenant: string): boolean;
  retryPending(): void;
  close(): void;
}

const retryMs = 1_000;

/** @param send rejects if other processes may not have been reached; repeating does no harm */
export function createInvalidationBroadcaster(
  send: (tenant: string) => Promise<void>,
  onFailure: (error: unknown) => void,
): InvalidationBroadcaster {
  /** Each tenant's newest unsent broadcast. */
  const pending = new Map<string, number>();
  let broadcasts = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function broadcast(tenant: string): Promise<void> {
    broadcasts += 1;
    const own = broadcasts;
    // Before publishing: others may still write stale entries, which nobody must read.
    pending.set(tenant, own);
    try {
      await send(tenant);
      // A newer one may stand for a later change; it covers all older ones.
      if (pending.get(tenant) === own) pending.delete(tenant);
    } catch (error) {
      onFailure(error);
      if (timer === undefined && !closed) timer = setTimeout(retryPending, retryMs).unref();
    }
  }

  function retryPending(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const tenant of [...pending.keys()]) broadcast(tenant).catch(onFailure);
  }

  return {
    broadcast,
    hasPending: (tenant) => pending.has(tenant),
    retryPending,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
