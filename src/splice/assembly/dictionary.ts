import { blockBytes, dictionaryMask, dictionarySlots, keyLength, keyMask, keyOwner, keyText } from '../layout.ts';

/** Finds a string of a document, with its quotes and without escapes. @returns the address of its record, or 0 */
export function find(dictionary: usize, text: usize, length: usize): usize {
  const mask = load<u32>(dictionary, dictionaryMask);
  let index = hash(text, length);
  while (true) {
    index &= mask;
    const record: usize = load<u32>(dictionary + (<usize>index << 2), dictionarySlots);
    if (record === 0) return 0;
    if (load<u32>(record, keyLength) === <u32>length && isSame(text, record + keyText, length)) return record;
    index++;
  }
}

/** Compares bytes of a key with its colon, and owner, in one branch. */
@inline
export function isExpected(at: usize, record: usize, owner: usize): bool {
  const mask = load<u32>(record, keyMask);
  const same =
    equalBytes(at, record + keyText) | (equalBytes(at + blockBytes, record + keyText + blockBytes) << blockBytes);
  return (((same & mask) ^ mask) | (load<u32>(record, keyOwner) ^ <u32>owner)) === 0;
}

/** Compares by blocks from the front. No text has the zeros that end a document, so none is compared beyond them. */
export function isSame(one: usize, other: usize, length: usize): bool {
  for (let block: usize = 0; block < length; block += blockBytes) {
    const rest = length - block;
    const mask: u32 = rest < <usize>blockBytes ? (1 << <u32>rest) - 1 : 0xffff;
    if ((equalBytes(one + block, other + block) & mask) !== mask) return false;
  }
  return true;
}

@inline
function equalBytes(one: usize, other: usize): u32 {
  return i8x16.bitmask(i8x16.eq(v128.load(one), v128.load(other)));
}

/** Hashes the first and the last eight bytes, as ../dictionary.ts does. */
@inline
export function hash(text: usize, length: usize): u32 {
  const first = load<u64>(text);
  const mixed =
    length < 8
      ? first & ((<u64>1 << (<u64>length << 3)) - 1)
      : first ^ rotl<u64>(load<u64>(text + length - 8), 25);
  return <u32>((mixed * 0x9e3779b97f4a7c15) >> 40);
}
