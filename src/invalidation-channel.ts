/** Carries invalidations from each process to the others. A tenant is one as `Backend.tenantOf` names it. */
export interface InvalidationChannel {
  /** Sends to the other processes. Rejects if they may not have been reached. */
  publish(tenant: string): Promise<void>;
  /** Replaces the listener before. */
  listen(listener: InvalidationListener): void;
}

export interface InvalidationListener {
  /** Another process has changed data of this tenant. */
  onInvalidation(tenant: string): void;
  /** Invalidations are received from now on. There may have been some before. */
  onConnected(): void;
  /** Invalidations are not received any more. */
  onLost(): void;
}
