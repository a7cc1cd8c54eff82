/** Small files of the system, which are read again when they have changed. */
import { readFileSync, statSync } from 'node:fs';

/** How long what was read counts, before the file is looked at again. */
const freshMs = 1_000;

/**
 * Reads and parses a file; one that does not exist or cannot be read is empty. It reads synchronously: the threads of
 * asynchronous reads may all be waiting for the system's resolver, for somebody else.
 * @param clock monotonic milliseconds
 */
export function watchedFile<Parsed>(path: string, parse: (text: string) => Parsed, clock: () => number): () => Parsed {
  let parsed = parse('');
  let version = '';
  let lookedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock() - lookedAt < freshMs) return parsed;
    lookedAt = clock();
    try {
      const { ino, mtimeMs, size } = statSync(path);
      const found = `${ino} ${mtimeMs} ${size}`;
      if (found !== version) parsed = parse(readFileSync(path, 'utf8'));
      version = found;
    } catch {
      [parsed, version] = [parse(''), ''];
    }
    return parsed;
  };
}
