import { dictionarySlots, keyDetail, keyLength, keyMask, keyText, keyValue, longestExpected } from './layout.ts';
import type { PlanMemory } from './plan-memory.ts';

interface DictionaryEntry {
  readonly key: string;
  readonly value: number;
  readonly detail: number;
}

/**
 * Writes a dictionary. @returns its address, and those of the records in the order of the entries
 * @throws Error for a key that JSON writes with escapes: the kernel compares bytes
 */
export function writeDictionary(memory: PlanMemory, entries: readonly DictionaryEntry[]) {
  const records = entries.map((entry) => writeRecord(memory, entry));
  // At most a quarter full, so that the first look misses an absent string.
  const slots = 2 ** Math.ceil(Math.log2(Math.max(1, entries.length) * 4));
  const address = memory.allocate(dictionarySlots + slots * 4);
  memory.set(address, slots - 1);
  for (const [at, { key }] of entries.entries()) {
    let slot = hashText(quoted(key)) & (slots - 1);
    while (memory.get(address + dictionarySlots + slot * 4) !== 0) slot = (slot + 1) & (slots - 1);
    memory.set(address + dictionarySlots + slot * 4, records[at] as number);
  }
  return { address, records };
}

function writeRecord(memory: PlanMemory, { key, value, detail }: DictionaryEntry): number {
  const text = quoted(key);
  const record = memory.allocate(keyText + Math.max(text.length + 1, longestExpected));
  memory.set(record + keyLength, text.length);
  memory.set(record + keyMask, 2 ** Math.min(text.length + 1, longestExpected) - 1);
  memory.set(record + keyValue, value);
  memory.set(record + keyDetail, detail);
  memory.write(record + keyText, Buffer.from(`${text}:`));
  return record;
}

function quoted(key: string): Buffer {
  const text = JSON.stringify(key);
  if (text.includes('\\')) throw new Error(`The key ${text} cannot be written without escapes`);
  return Buffer.from(text);
}

/** Hashes the first and the last eight bytes, as assembly/dictionary.ts does. */
function hashText(text: Buffer): number {
  const padded = Buffer.concat([text, Buffer.alloc(8)]);
  const first = padded.readBigUInt64LE();
  const mixed = text.length < 8 ? first : first ^ rotatedBy25(text.readBigUInt64LE(text.length - 8));
  return Number(BigInt.asUintN(64, mixed * 0x9e3779b97f4a7c15n) >> 40n);
}

const rotatedBy25 = (value: bigint): bigint => BigInt.asUintN(64, (value << 25n) | (value >> 39n));
