import { blockBytes, dictionaryMask, dictionarySlots, keyLength, keyMask, keyText } from '../layout.ts';

/** Finds a string of a document, with its quotes and without escapes. @returns the address of its record, or 0 */
export function find(dictionary: usize, text: usize, length: usize): usize {
  const mask = load<u32>(dictionary, dictionaryMask);
  let index = hash(text, length);
  while (true) {
    index &= mask;
    const record: usize = load<u32>(dictionary + (<usize>index << 2), dictionarySlots);
    if (record === 0 || (load<u32>(record, keyLength) === <u32>length && startsWith(text, record))) return record;
    index++;
  }
}

/**
 * Whether the bytes at an address begin with the text of a record. They are compared block by block from the front: no
 * text has the zeros that end a document, so none is compared beyond them.
 */
// @ts-expect-error: decorator
@inline
export function startsWith(at: usize, record: usize): bool {
  const mask = load<u32>(record, keyMask);
  return (equalBytes(at, record + keyText) & mask) === mask && (mask !== 0xffff || restIsSame(at, record));
}

function restIsSame(at: usize, record: usize): bool {
  const length: usize = load<u32>(record, keyLength);
  for (let block: usize = blockBytes; block < length; block += blockBytes) {
    const rest = length - block;
    const mask: u32 = rest < <usize>blockBytes ? (1 << <u32>rest) - 1 : 0xffff;
    if ((equalBytes(at + block, record + keyText + block) & mask) !== mask) return false;
  }
  return true;
}

// @ts-expect-error: decorator
@inline
function equalBytes(one: usize, other: usize): u32 {
  return i8x16.bitmask(i8x16.eq(v128.load(one), v128.load(other)));
}

/** Of the first and the last eight bytes. The dictionaries are made with the same (dictionary.ts outside). */
// @ts-expect-error: decorator
@inline
function hash(text: usize, length: usize): u32 {
  const first = load<u64>(text);
  const mixed = length < 8 ? first & ((<u64>1 << (<u64>length << 3)) - 1) : first ^ rotl<u64>(load<u64>(text + length - 8), 25);
  return <u32>((mixed * 0x9e3779b97f4a7c15) >> 40);
}
