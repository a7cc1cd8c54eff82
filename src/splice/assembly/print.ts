import {
  blockBytes,
  frameKind,
  frameNext,
  givenBytes,
  givenListCount,
  givenLists,
  keyDetail,
  keyValue,
  kindAscii,
  kindBits,
  kindList,
  kindMask,
  kindNull,
  kindObject,
  kindUnicode,
  opChoice,
  opEnd,
  opGiven,
  opGivenByItem,
  opInstant,
  opJump,
  opList,
  opObject,
  opSealed,
  opString,
  opValue,
  opWindow,
  opWords,
  refusedMissing,
  refusedNotExpected,
  refusedTooLarge,
  slotStart,
  slotWord,
  stepAfter,
  stepBody,
  stepDirect,
  stepNeeded,
  stepOp,
  stepOtherwise,
  stepOtherwiseLength,
  stepSlot,
  stepTable,
  stepText,
  stepTextLength,
} from '../layout.ts';
import { seal } from './base64url.ts';
import { closeBracket, comma, openBracket, wordNull } from './characters.ts';
import { find } from './dictionary.ts';
import { isInstant } from './instant.ts';
import { isString, printString } from './print-string.ts';
import { refusal, refuse } from './refusal.ts';
import { copy, limit, reserve } from './room.ts';
import { isUtf8 } from './utf8.ts';

let givens: usize = 0;
let windowFrom: u32 = 0;
let windowTo: u32 = 0;
/** The place in its window of the entry that is printed. */
let place: u32 = 0;

/**
 * Prints the steps of a template.
 * @returns the end of the output, or a code of refusal
 */
export function print(step: usize, frame: usize, from: u32, to: u32, texts: usize, out: usize): i32 {
  givens = texts;
  windowFrom = from;
  windowTo = to;
  place = 0;
  const end = printSteps(step, frame, out);
  return end === 0 ? refusal : <i32>end;
}

/**
 * Prints steps up to the end of the object that they stand in. Before each step there is room for its text, and the few
 * bytes that a step adds without asking (brackets, a comma, null) fit into the slack.
 */
function printSteps(step: usize, frame: usize, out: usize): usize {
  while (true) {
    const textLength: usize = load<u32>(step, stepTextLength);
    const slot = frame + load<u32>(step, stepSlot);
    const kind = kindOf(slot);
    // Most steps print a value as it stands, after a text.
    if ((load<u32>(step, stepDirect) >> kind) & 1) {
      const length = lengthOf(slot);
      const end = out + textLength + length;
      if (end > limit && !reserve(end)) return refuse(refusedTooLarge);
      out = copy(copy(out, step + stepText, textLength), load<u32>(slot, slotStart), length);
      step = load<u32>(step, stepAfter);
      continue;
    }
    if (out + textLength > limit && !reserve(out + textLength)) return refuse(refusedTooLarge);
    out = copy(out, step + stepText, textLength);
    switch (load<u32>(step, stepOp)) {
      case opEnd:
        return out;
      case opJump:
        break;
      case opValue:
        out = printNull(step, kind, out);
        break;
      case opString:
        out = isString(kind)
          ? printString(load<u32>(slot, slotStart), lengthOf(slot), kind, out)
          : printNull(step, kind, out);
        break;
      case opInstant:
        out = printInstant(step, slot, out);
        break;
      case opWords:
        out = printWord(step, slot, out);
        break;
      case opSealed:
        out = printSealed(step, slot, out);
        break;
      case opGiven:
        out = printGiven(0, load<u32>(step, stepTable), out);
        break;
      case opGivenByItem:
        out = printGiven(load<u32>(step, stepTable), place, out);
        break;
      case opObject:
        out =
          kindOf(slot) === kindObject
            ? printSteps(load<u32>(step, stepBody), load<u32>(slot, slotStart), out)
            : printNull(step, kindOf(slot), out);
        break;
      case opList:
        out = kindOf(slot) === kindList ? printList(step, slot, out) : printNull(step, kindOf(slot), out);
        break;
      case opWindow:
        out = printWindow(step, slot, out);
        break;
      case opChoice:
        step = chosen(step, slot);
        if (step === 0) return 0;
        continue;
      default:
        unreachable();
    }
    if (out === 0) return 0;
    step = load<u32>(step, stepAfter);
  }
}

@inline
function kindOf(slot: usize): i32 {
  return <i32>load<u32>(slot, slotWord) & kindMask;
}

@inline
function lengthOf(slot: usize): usize {
  return load<u32>(slot, slotWord) >> kindBits;
}

/** Prints bytes as they stand. */
@inline
function printSpan(start: usize, length: usize, out: usize): usize {
  return out + length > limit && !reserve(out + length) ? refuse(refusedTooLarge) : copy(out, start, length);
}

/** Prints what is not there, or refuses it. */
function printNull(step: usize, kind: i32, out: usize): usize {
  if (kind > kindNull) return refuse(refusedNotExpected);
  if (load<u32>(step, stepNeeded)) return refuse(refusedMissing);
  store<u32>(out, wordNull);
  return out + 4;
}

function printInstant(step: usize, slot: usize, out: usize): usize {
  const kind = kindOf(slot);
  if (kind !== kindAscii) return printNull(step, kind, out);
  const start: usize = load<u32>(slot, slotStart);
  return isInstant(start, lengthOf(slot)) ? printSpan(start, lengthOf(slot), out) : refuse(refusedNotExpected);
}

function printWord(step: usize, slot: usize, out: usize): usize {
  const kind = kindOf(slot);
  if (!isString(kind)) return printNull(step, kind, out);
  if (!isComparable(slot, kind)) return refuse(refusedNotExpected);
  const word = find(load<u32>(step, stepTable), load<u32>(slot, slotStart), lengthOf(slot));
  return word === 0
    ? printSpan(load<u32>(step, stepOtherwise), load<u32>(step, stepOtherwiseLength), out)
    : printSpan(load<u32>(word, keyValue), load<u32>(word, keyDetail), out);
}

/** Whether the bytes of a string are the string. */
function isComparable(slot: usize, kind: i32): bool {
  if (kind === kindAscii) return true;
  const start: usize = load<u32>(slot, slotStart);
  return kind === kindUnicode && isUtf8(start, start + lengthOf(slot));
}

function printSealed(step: usize, slot: usize, out: usize): usize {
  const kind = kindOf(slot);
  if (!isString(kind)) return refuse(kind > kindNull ? refusedNotExpected : refusedMissing);
  const prefix = givenText(0, load<u32>(step, stepTable));
  if (prefix === 0) return 0;
  const prefixLength: usize = load<u32>(prefix, 4);
  const length = lengthOf(slot);
  const suffixLength: usize = load<u32>(step, stepOtherwiseLength);
  // The bytes to seal are put behind the room that the sealed ones may take.
  const total = prefixLength + length + suffixLength;
  const bytes = out + 2 * total + 2 * blockBytes;
  if (!reserve(bytes + total)) return refuse(refusedTooLarge);
  let end = copy(bytes, load<u32>(prefix), prefixLength);
  end = printString(load<u32>(slot, slotStart), length, kind, end);
  if (end === 0) return 0;
  end = copy(end, load<u32>(step, stepOtherwise), suffixLength);
  return seal(bytes, end, out);
}

function printGiven(list: u32, index: u32, out: usize): usize {
  const text = givenText(list, index);
  return text === 0 ? 0 : printSpan(load<u32>(text), load<u32>(text, 4), out);
}

/** @returns the address of the address and the length of a text that is given */
function givenText(list: u32, index: u32): usize {
  if (list >= load<u32>(givens, givenListCount)) return refuse(refusedMissing);
  const texts = givens + givenLists + list * givenBytes;
  return index < load<u32>(texts, 4) ? <usize>load<u32>(texts) + index * givenBytes : refuse(refusedMissing);
}

function printList(step: usize, slot: usize, out: usize): usize {
  store<u8>(out, openBracket);
  out = printEntries(load<u32>(step, stepBody), load<u32>(slot, slotStart), lengthOf(slot), out + 1);
  if (out === 0) return 0;
  store<u8>(out, closeBracket);
  return out + 1;
}

function printEntries(body: usize, frame: usize, count: usize, out: usize): usize {
  for (let at: usize = 0; at < count; at++) {
    if (at > 0) {
      store<u8>(out, comma);
      out++;
    }
    if (load<u32>(frame, frameKind) !== kindObject) return refuse(refusedNotExpected);
    out = printSteps(body, frame, out);
    if (out === 0) return 0;
    frame = load<u32>(frame, frameNext);
  }
  return out;
}

function printWindow(step: usize, slot: usize, out: usize): usize {
  const kind = kindOf(slot);
  if (kind !== kindList) return refuse(kind > kindNull ? refusedNotExpected : refusedMissing);
  const to = min(windowTo, <u32>lengthOf(slot));
  const body: usize = load<u32>(step, stepBody);
  const outerPlace = place;
  let frame: usize = load<u32>(slot, slotStart);
  for (let at: u32 = 0; at < to; at++) {
    if (at >= windowFrom) {
      place = at - windowFrom;
      if (place > 0) {
        store<u8>(out, comma);
        out++;
      }
      if (load<u32>(frame, frameKind) !== kindObject) return refuse(refusedNotExpected);
      out = printSteps(body, frame, out);
      if (out === 0) return 0;
    }
    frame = load<u32>(frame, frameNext);
  }
  place = outerPlace;
  return out;
}

/** @returns the first step of the case that is chosen */
function chosen(step: usize, slot: usize): usize {
  const kind = kindOf(slot);
  if (kind <= kindNull) return refuse(refusedMissing);
  if (!isString(kind) || !isComparable(slot, kind)) return refuse(refusedNotExpected);
  const found = find(load<u32>(step, stepTable), load<u32>(slot, slotStart), lengthOf(slot));
  if (found !== 0) return load<u32>(found, keyValue);
  const otherwise: usize = load<u32>(step, stepOtherwise);
  return otherwise === 0 ? refuse(refusedNotExpected) : otherwise;
}
