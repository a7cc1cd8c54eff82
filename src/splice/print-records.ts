import { alignUp, type Kernel, mostUtf8Bytes } from './kernel.ts';
import {
  blockBytes,
  parameterBytes,
  parameterListCount,
  parameterLists,
  printFrame,
  printFrom,
  printInner,
  printInnerEnd,
  printStep,
  printTo,
} from './layout.ts';
import type { WindowRange } from './splice.ts';

export interface PrintRecord {
  readonly step: number;
  readonly frame: number;
  readonly window: WindowRange;
  /** Parameters by index, then lists of those by item. */
  readonly lists: readonly (readonly string[])[];
  /** Records that are written before this one. */
  readonly inner?: readonly PrintRecord[] | undefined;
  /** Where it was written. */
  address: number;
}

/** Most bytes that {@link writeRecords} may need. */
export function bytesOfRecords(records: readonly PrintRecord[]): number {
  let bytes = 0;
  for (const { lists, inner } of records) {
    bytes += parameterLists + (inner?.length ?? 0) * 4 + lists.length * parameterBytes + blockBytes;
    for (const texts of lists) {
      for (const text of texts) bytes += parameterBytes + mostUtf8Bytes(text);
    }
  }
  return bytes;
}

/** @returns the address of the last one */
export function writeRecords(records: readonly PrintRecord[], kernel: Kernel, address: number): number {
  let start = address;
  let end = address;
  for (const record of records) {
    start = alignUp(end);
    record.address = start;
    end = writeRecord(record, kernel, start);
  }
  return start;
}

const none: readonly PrintRecord[] = [];

/** @returns the address behind it */
function writeRecord(record: PrintRecord, { words, bytes }: Kernel, at: number): number {
  const { step, frame, window, lists, inner = none } = record;
  words[(at + printStep) >>> 2] = step;
  words[(at + printFrame) >>> 2] = frame;
  words[(at + printFrom) >>> 2] = clamped(window.from);
  words[(at + printTo) >>> 2] = clamped(window.to);
  words[(at + parameterListCount) >>> 2] = lists.length;
  let header = (at + parameterLists) >>> 2;
  let place = header + lists.length * 2;
  words[(at + printInner) >>> 2] = place << 2;
  for (const each of inner) words[place++] = each.address;
  words[(at + printInnerEnd) >>> 2] = place << 2;
  const firstText = place;
  for (const { length } of lists) {
    words[header++] = place << 2;
    words[header++] = length;
    place += length * 2;
  }
  const start = place << 2;
  place = firstText;
  // One write is faster than one per text; for ASCII, the lengths are known.
  let joined = '';
  for (const texts of lists) for (const each of texts) joined += each;
  const areAscii = bytes.write(joined, start) === joined.length;
  let text = start;
  for (const texts of lists) {
    for (const each of texts) {
      const length = areAscii ? each.length : bytes.write(each, text);
      words[place++] = text;
      words[place++] = length;
      text += length;
    }
  }
  return text;
}

/** To what the kernel takes for a number that is not negative. */
export const clamped = (value: number): number => Math.min(Math.max(value, 0), 0x7fff_ffff);
