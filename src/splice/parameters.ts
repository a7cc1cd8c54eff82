import type { Kernel } from './kernel.ts';
import { blockBytes, parameterBytes, parameterListCount, parameterLists } from './layout.ts';
import { mostUtf8Bytes } from './sizes.ts';

/** How many bytes {@link writeParameters} may need. */
export function parametersBytes(lists: readonly (readonly string[])[]): number {
  let bytes = parameterLists + lists.length * parameterBytes + blockBytes;
  for (const texts of lists) {
    for (const text of texts) bytes += parameterBytes + mostUtf8Bytes(text);
  }
  return bytes;
}

/** Writes lists of texts to an address as the kernel expects them (see layout.ts). */
export function writeParameters(
  lists: readonly (readonly string[])[],
  { words, bytes }: Kernel,
  address: number,
): void {
  words[(address + parameterListCount) >>> 2] = lists.length;
  let header = (address + parameterLists) >>> 2;
  let place = header + lists.length * 2;
  for (const { length } of lists) {
    words[header++] = place << 2;
    words[header++] = length;
    place += length * 2;
  }
  const start = place << 2;
  place = header;
  // All at once is faster than a call for each, and as long as they are ASCII, their lengths are known.
  const joined = lists.map((texts) => texts.join('')).join('');
  const areAscii = bytes.write(joined, start) === joined.length;
  let at = start;
  for (const texts of lists) {
    for (const text of texts) {
      const length = areAscii ? text.length : bytes.write(text, at);
      words[place++] = at;
      words[place++] = length;
      at += length;
    }
  }
}
