/** What happened, line by line. Equal seeds give equal traces. */
import { createHash } from 'node:crypto';

export interface Trace {
  line(text: string): void;
  /** SHA-256 of all lines. */
  digest(): string;
}

/** @param write receives each line, for a seed that somebody looks at */
export function createTrace(write: ((line: string) => void) | null): Trace {
  const hash = createHash('sha256');
  return {
    line(text) {
      hash.update(text).update('\n');
      write?.(text.replaceAll(/\s+/g, ' '));
    },
    digest: () => hash.digest('hex'),
  };
}
