import {
  kindAscii,
  kindBits,
  kindEscaped,
  kindMask,
  kindUnicode,
  slotStart,
  slotWord,
} from '../layout.ts';
import { isUtf8 } from './utf8.ts';

@inline
export function startOf(slot: usize): usize {
  return load<u32>(slot, slotStart);
}

/** Length of a leaf in bytes, or count of a list. */
@inline
export function lengthOf(slot: usize): usize {
  return load<u32>(slot, slotWord) >> kindBits;
}

@inline
export function kindOf(slot: usize): i32 {
  return <i32>load<u32>(slot, slotWord) & kindMask;
}

@inline
export function isString(kind: i32): bool {
  return kind === kindAscii || kind === kindUnicode || kind === kindEscaped;
}

/** Whether the bytes between the quotes are the string itself: no escapes, valid UTF-8. */
export function isLiteral(slot: usize, kind: i32): bool {
  return kind === kindAscii || (kind === kindUnicode && isUtf8(startOf(slot), startOf(slot) + lengthOf(slot)));
}
