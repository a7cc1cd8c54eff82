import {
  blockBytes,
  keyDetail,
  keyValue,
  kindAscii,
  kindNull,
  kindOddNumber,
  refusedMissing,
  refusedNotExpected,
  refusedTooLarge,
  stepOtherwise,
  stepOtherwiseLength,
  stepRequired,
  stepTable,
} from '../layout.ts';
import { encodeBase64url } from './base64url.ts';
import { wordNull } from './characters.ts';
import { find } from './dictionary.ts';
import { isInstant } from './instant.ts';
import { parameterText } from './parameters.ts';
import { printString } from './print-string.ts';
import { refuse } from './refusal.ts';
import { copy, limit, printSpan, reserve } from './room.ts';
import { isLiteral, isString, kindOf, lengthOf, startOf } from './slots.ts';

/** Prints what is not there, or refuses it. */
export function printNull(step: usize, kind: i32, out: usize): usize {
  if (kind > kindNull) return refuse(refusedNotExpected);
  if (load<u32>(step, stepRequired)) return refuse(refusedMissing);
  store<u32>(out, wordNull);
  return out + 4;
}

/**
 * Prints a number as the host does: shortest round-trip formatting is long, and JavaScript has it.
 * @returns the length of what was printed at `out`; 0 for a number beyond all doubles
 */
@external('env', 'printNumber')
declare function printDouble(start: usize, length: usize, out: usize): usize;

/** The longest text of a double has 25 characters. */
const numberBytes: usize = 2 * blockBytes;

/** Prints a number that does not stand as it is printed. */
export function printNumber(step: usize, slot: usize, out: usize): usize {
  const kind = kindOf(slot);
  if (kind !== kindOddNumber) return printNull(step, kind, out);
  if (out + numberBytes > limit && !reserve(out + numberBytes)) return refuse(refusedTooLarge);
  const length = printDouble(startOf(slot), lengthOf(slot), out);
  return length === 0 ? refuse(refusedNotExpected) : out + length;
}

export function printInstant(step: usize, slot: usize, out: usize): usize {
  const kind = kindOf(slot);
  if (kind !== kindAscii) return printNull(step, kind, out);
  return isInstant(startOf(slot), lengthOf(slot))
    ? printSpan(startOf(slot), lengthOf(slot), out)
    : refuse(refusedNotExpected);
}

export function printMapped(step: usize, slot: usize, out: usize): usize {
  const kind = kindOf(slot);
  if (!isString(kind)) return printNull(step, kind, out);
  if (!isLiteral(slot, kind)) return refuse(refusedNotExpected);
  const mapped = find(load<u32>(step, stepTable), startOf(slot), lengthOf(slot));
  return mapped === 0
    ? printSpan(load<u32>(step, stepOtherwise), load<u32>(step, stepOtherwiseLength), out)
    : printSpan(load<u32>(mapped, keyValue), load<u32>(mapped, keyDetail), out);
}

export function printBase64url(step: usize, slot: usize, out: usize): usize {
  const kind = kindOf(slot);
  if (!isString(kind)) return refuse(kind > kindNull ? refusedNotExpected : refusedMissing);
  const prefix = parameterText(0, load<u32>(step, stepTable));
  if (prefix === 0) return 0;
  const prefixLength: usize = load<u32>(prefix, 4);
  const suffixLength: usize = load<u32>(step, stepOtherwiseLength);
  const total = prefixLength + lengthOf(slot) + suffixLength;
  // The bytes to encode are put behind the room that their text may take, which is a third more and a last block.
  const bytes = out + 2 * total + 2 * blockBytes;
  if (!reserve(bytes + total)) return refuse(refusedTooLarge);
  let end = copy(bytes, load<u32>(prefix), prefixLength);
  end = printString(startOf(slot), lengthOf(slot), kind, end);
  if (end === 0) return 0;
  end = copy(end, load<u32>(step, stepOtherwise), suffixLength);
  return encodeBase64url(bytes, end, out);
}
