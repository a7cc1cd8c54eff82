/** Tells other processes of changes. What cannot be told is told again until it is. */

export interface Announcements {
  /** Resolves when the others have been told, or have not been and will be later. */
  announce(tenant: string): Promise<void>;
  /** Whether others do not know yet of a change of this tenant. */
  isUntold(tenant: string): boolean;
  /** Tells what is untold now. */
  repeat(): Promise<void>;
  close(): void;
}

const repeatMs = 1_000;

/**
 * @param tell rejects if it may not have reached the others; telling twice does no harm
 * @param onFailure is told why
 */
export function createAnnouncements(
  tell: (tenant: string) => Promise<void>,
  onFailure: (error: unknown) => void,
): Announcements {
  const untold = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function announce(tenant: string): Promise<void> {
    // Before it is told: in between, nobody may take what this process finds for what is right.
    untold.add(tenant);
    try {
      await tell(tenant);
      untold.delete(tenant);
    } catch (error) {
      onFailure(error);
      if (timer === undefined && !closed) timer = setTimeout(repeat, repeatMs).unref();
    }
  }

  async function repeat(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    await Promise.all([...untold].map(announce));
  }

  return {
    announce,
    isUntold: (tenant) => untold.has(tenant),
    repeat,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
