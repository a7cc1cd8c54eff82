import {
  blockBytes,
  keyDetail,
  keyValue,
  kindAscii,
  kindNull,
  kindNumber,
  kindObject,
  kindOddNumber,
  refusedMissing,
  refusedNotExpected,
  refusedTooLarge,
  stepFirstLeaf,
  stepFirstObject,
  stepOtherwise,
  stepOtherwiseLength,
  stepRequired,
  stepTable,
} from '../layout.ts';
import { encodeBase64url } from './base64url.ts';
import { comma, minus, storeFalse, wordNull, wordTrue } from './characters.ts';
import { find } from './dictionary.ts';
import { isPlainTime, printTime } from './epoch.ts';
import { isInstant } from './instant.ts';
import { parameterText } from './parameters.ts';
import { printString } from './print-string.ts';
import { refuse } from './refusal.ts';
import { copy, limit, printSpan, reserve } from './room.ts';
import { digitStops } from './scalars.ts';
import { isLiteral, isString, kindOf, lengthOf, startOf } from './slots.ts';

/** Prints an absent value, or refuses it. */
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

/** Prints a number that cannot be copied. */
export function printNumber(step: usize, slot: usize, out: usize): usize {
  const kind = kindOf(slot);
  if (kind !== kindOddNumber) return printNull(step, kind, out);
  if (out + numberBytes > limit && !reserve(out + numberBytes)) return refuse(refusedTooLarge);
  const length = printDouble(startOf(slot), lengthOf(slot), out);
  return length === 0 ? refuse(refusedNotExpected) : out + length;
}

/** Any of as many digits fits 32 bits. */
const integerDigits: usize = 9;

export function printInteger(step: usize, slot: usize, out: usize): usize {
  const kind = kindOf(slot);
  if (kind !== kindNumber) return printNull(step, kind, out);
  const start = startOf(slot);
  const sign = <usize>(load<u8>(start) === minus);
  const digits = lengthOf(slot) - sign;
  // A block has more bytes than that.
  const isInteger = digits <= integerDigits && <usize>ctz(digitStops(v128.load(start + sign))) === digits;
  return isInteger ? printSpan(start, lengthOf(slot), out) : refuse(refusedNotExpected);
}

/**
 * Prints the time of any number as the host does.
 * @returns the length of what was printed at `out`; 0 for a number that is no time
 */
@external('env', 'printEpoch')
declare function printEpoch(start: usize, length: usize, out: usize): usize;

/** Copies a time, or prints that of a number, in 26 characters with its quotes. */
export function printInstant(step: usize, slot: usize, out: usize): usize {
  const kind = kindOf(slot);
  if (kind === kindNumber || kind === kindOddNumber) {
    if (out + numberBytes > limit && !reserve(out + numberBytes)) return refuse(refusedTooLarge);
    if (isPlainTime(startOf(slot), lengthOf(slot))) return printTime(startOf(slot), lengthOf(slot), out);
    const length = printEpoch(startOf(slot), lengthOf(slot), out);
    return length === 0 ? refuse(refusedNotExpected) : out + length;
  }
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
  if (mapped !== 0) return printSpan(load<u32>(mapped, keyValue), load<u32>(mapped, keyDetail), out);
  const otherwise = load<u32>(step, stepOtherwise);
  return otherwise === 0
    ? refuse(refusedNotExpected)
    : printSpan(otherwise, load<u32>(step, stepOtherwiseLength), out);
}

/** Prints whether a string stands there. */
export function printPresence(kind: i32, out: usize): usize {
  if (isString(kind)) {
    store<u32>(out, wordTrue);
    return out + 4;
  }
  if (kind > kindNull) return refuse(refusedNotExpected);
  storeFalse(out);
  return out + 5;
}

export function printBase64url(step: usize, frame: usize, slot: usize, out: usize): usize {
  const kind = kindOf(slot);
  if (!isString(kind)) return refuseString(kind);
  const hasFirst = load<u32>(step, stepFirstObject) !== 0;
  const first: usize = hasFirst ? firstOf(step, frame) : 0;
  if (hasFirst && first === 0) return 0;
  const prefix = parameterText(0, load<u32>(step, stepTable));
  if (prefix === 0) return 0;
  const prefixLength: usize = load<u32>(prefix, 4);
  const suffixLength: usize = load<u32>(step, stepOtherwiseLength);
  const firstLength: usize = hasFirst ? lengthOf(first) + 1 : 0;
  const total = prefixLength + firstLength + lengthOf(slot) + suffixLength;
  // Bytes to encode go behind the space for their text, which is a third longer and a last block.
  const bytes = out + 2 * total + 2 * blockBytes;
  if (!reserve(bytes + total)) return refuse(refusedTooLarge);
  let end = copy(bytes, load<u32>(prefix), prefixLength);
  if (hasFirst) {
    end = printString(startOf(first), lengthOf(first), kindOf(first), end);
    if (end === 0) return 0;
    store<u8>(end, comma);
    end++;
  }
  end = printString(startOf(slot), lengthOf(slot), kind, end);
  if (end === 0) return 0;
  end = copy(end, load<u32>(step, stepOtherwise), suffixLength);
  return encodeBase64url(bytes, end, out);
}

/** @returns the slot of the string that is printed first, or a refusal */
function firstOf(step: usize, frame: usize): usize {
  const object = frame + load<u32>(step, stepFirstObject);
  if (kindOf(object) !== kindObject) return refuseString(kindOf(object));
  const slot = startOf(object) + load<u32>(step, stepFirstLeaf);
  return isString(kindOf(slot)) ? slot : refuseString(kindOf(slot));
}

function refuseString(kind: i32): usize {
  return refuse(kind > kindNull ? refusedNotExpected : refusedMissing);
}
