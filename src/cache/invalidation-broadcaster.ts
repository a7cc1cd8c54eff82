/** Sends invalidations to other processes. What could not be sent is sent again until it is. */

export interface InvalidationBroadcaster {
  /** Resolves when the invalidation has been sent, or has failed and is pending. */
  broadcast(tenant: string): Promise<void>;
  /** Whether other processes may not know yet of an invalidation of this tenant. */
  hasPending(tenant: string): boolean;
  /** Sends now what is pending. */
  retryPending(): void;
  close(): void;
}

const retryMs = 1_000;

/**
 * @param send rejects if other processes may not have been reached; sending twice does no harm
 * @param onFailure receives the error of each failure
 */
export function createInvalidationBroadcaster(
  send: (tenant: string) => Promise<void>,
  onFailure: (error: unknown) => void,
): InvalidationBroadcaster {
  /** The newest broadcast of each tenant that has not been sent. */
  const pending = new Map<string, number>();
  let broadcasts = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function broadcast(tenant: string): Promise<void> {
    broadcasts += 1;
    const own = broadcasts;
    // Marked before publishing, so that nothing cached is read while others may still write stale entries.
    pending.set(tenant, own);
    try {
      await send(tenant);
      // A newer one stands for a change that may have come after this was sent. The reverse holds: it covers all older ones.
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
