/** Who uses the one connection of the shared database. A process that dies loses it. */
export interface WriterLock {
  /** Whether somebody uses the connection. */
  readonly isHeld: boolean;
  /** Resolves when nobody else has the lock; never, if the process dies before. @returns gives it back */
  acquire(owner: string): Promise<() => void>;
  /** Takes the lock, and its place in the line, from a process that died. @returns whether it had the lock */
  abandon(owner: string): boolean;
}

interface Turn {
  readonly owner: string;
  readonly begin: () => void;
}

export function createWriterLock(): WriterLock {
  let line: Turn[] = [];
  let current: Turn | null = null;
  const next = () => {
    current = line.shift() ?? null;
    current?.begin();
  };
  return {
    get isHeld() {
      return current !== null;
    },
    acquire(owner) {
      return new Promise((resolve) => {
        const release = () => {
          if (current === turn) next();
        };
        const turn: Turn = { owner, begin: () => resolve(release) };
        line.push(turn);
        if (current === null) next();
      });
    },
    abandon(owner) {
      line = line.filter((turn) => turn.owner !== owner);
      if (current?.owner !== owner) return false;
      next();
      return true;
    },
  };
}
