import {
  blockBytes,
  detailSkipped,
  frameUnselected,
  keyDetail,
  keyInside,
  keyLength,
  keyMask,
  keyNext,
  keyOwner,
  keyText,
  keyValue,
  learnedBase,
  learnedKeyBytes,
  learnedKeys,
  longestExpected,
  neverKey,
} from '../layout.ts';
import { colon } from './characters.ts';
import { hash, isSame } from './dictionary.ts';

/** Records tried before one of another key is overwritten. */
const tries: u32 = 4;

/**
 * Remembers unselected keys too, in a table of `learnedKeys` records: comparing an expected key is faster than scanning
 * for its end. A record may be overwritten while another points to it, so it names its owner.
 * @param owner the shape without the key, or the record of the key whose value is skipped
 * @returns the record, or that of none if the key is too long
 */
export function learn(owner: usize, text: usize, length: usize): usize {
  if (length >= <usize>longestExpected) return neverKey;
  const first = hash(text, length) + <u32>(owner >> 4) * 0x9e37;
  for (let at: u32 = 0; at < tries; at++) {
    const record = placeOf(first + at);
    const known = load<u32>(record, keyLength);
    if (known === 0) return remember(record, owner, text, length);
    if (known === <u32>length && load<u32>(record, keyOwner) === <u32>owner && isSame(text, record + keyText, length)) {
      return record;
    }
  }
  return remember(placeOf(first), owner, text, length);
}

@inline
function placeOf(index: u32): usize {
  return <usize>(learnedBase + (index & (learnedKeys - 1)) * learnedKeyBytes);
}

function remember(record: usize, owner: usize, text: usize, length: usize): usize {
  store<u32>(record, <u32>length, keyLength);
  store<u32>(record, <u32>(((<u64>1) << (<u64>length + 1)) - 1), keyMask);
  store<u32>(record, frameUnselected, keyValue);
  store<u32>(record, detailSkipped, keyDetail);
  store<u32>(record, neverKey, keyNext);
  store<u32>(record, neverKey, keyInside);
  store<u32>(record, <u32>owner, keyOwner);
  v128.store(record, v128.load(text), keyText);
  v128.store(record, v128.load(text + blockBytes), keyText + blockBytes);
  store<u8>(record + keyText + length, colon);
  return record;
}
