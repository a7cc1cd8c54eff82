import {
  frameKind,
  frameNext,
  keyValue,
  kindList,
  kindNull,
  kindObject,
  opBase64url,
  opChoice,
  opEnd,
  opFirst,
  opInner,
  opInstant,
  opInteger,
  opItemParameter,
  opJump,
  opList,
  opMapping,
  opNumber,
  opObject,
  opParameter,
  opPresence,
  opString,
  opSwitch,
  opValue,
  opWindow,
  printFrame,
  printFrom,
  printInner,
  printInnerEnd,
  printStep,
  printTo,
  refusedMissing,
  refusedNotExpected,
  refusedTooLarge,
  stepAfter,
  stepBody,
  stepDirect,
  stepOp,
  stepOtherwise,
  stepSlot,
  stepTable,
  stepText,
  stepTextLength,
} from '../layout.ts';
import { closeBracket, comma, openBracket, wordNull } from './characters.ts';
import { find } from './dictionary.ts';
import { current, printParameter, setCurrent } from './parameters.ts';
import { printBase64url, printInstant, printInteger, printMapped, printNull, printNumber, printPresence } from './print-leaf.ts';
import { printString } from './print-string.ts';
import { refusal, refuse } from './refusal.ts';
import { copy, limit, reserve, setBound } from './room.ts';
import { isLiteral, isString, kindOf, lengthOf, startOf } from './slots.ts';

/** Index in the window of the printed entry. */
let place: u32 = 0;
/** Where the address of the next inner print stands. */
let nextInner: usize = 0;

/**
 * @param most no output is written behind this address
 * @returns the end of the output, or a code of refusal
 */
export function print(address: usize, out: usize, most: usize): i32 {
  setBound(most);
  const end = printWhole(address, out);
  setBound(usize.MAX_VALUE);
  return end === 0 ? refusal : <i32>end;
}

function printWhole(address: usize, out: usize): usize {
  const outer = current;
  const outerPlace = place;
  const outerNext = nextInner;
  setCurrent(address);
  place = 0;
  nextInner = load<u32>(address, printInner);
  out = printSteps(load<u32>(address, printStep), load<u32>(address, printFrame), out);
  // What is left over would stand in another place.
  if (out !== 0 && nextInner !== load<u32>(address, printInnerEnd)) out = refuse(refusedMissing);
  setCurrent(outer);
  place = outerPlace;
  nextInner = outerNext;
  return out;
}

function printNextInner(out: usize): usize {
  if (nextInner === load<u32>(current, printInnerEnd)) return refuse(refusedMissing);
  const address: usize = load<u32>(nextInner);
  nextInner += 4;
  return printWhole(address, out);
}

/** Prints steps up to the end of their object. Brackets, a comma or null fit into the slack. */
function printSteps(step: usize, frame: usize, out: usize): usize {
  while (true) {
    const textLength: usize = load<u32>(step, stepTextLength);
    const slot = frame + load<u32>(step, stepSlot);
    const kind = kindOf(slot);
    // Most steps copy a value, after a text.
    if ((load<u32>(step, stepDirect) >> kind) & 1) {
      const length = lengthOf(slot);
      const end = out + textLength + length;
      if (end > limit && !reserve(end)) return refuse(refusedTooLarge);
      out = copy(copy(out, step + stepText, textLength), startOf(slot), length);
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
          ? printString(startOf(slot), lengthOf(slot), kind, out)
          : printNull(step, kind, out);
        break;
      case opNumber:
        out = printNumber(step, slot, out);
        break;
      case opInteger:
        out = printInteger(step, slot, out);
        break;
      case opInstant:
        out = printInstant(step, slot, out);
        break;
      case opMapping:
        out = printMapped(step, slot, out);
        break;
      case opPresence:
        out = printPresence(kind, out);
        break;
      case opBase64url:
        out = printBase64url(step, frame, slot, out);
        break;
      case opParameter:
        out = printParameter(0, load<u32>(step, stepTable), out);
        break;
      case opItemParameter:
        out = printParameter(load<u32>(step, stepTable), place, out);
        break;
      case opObject:
        out =
          kind === kindObject
            ? printSteps(load<u32>(step, stepBody), startOf(slot), out)
            : printNull(step, kind, out);
        break;
      case opList:
        out = kind === kindList ? printList(step, slot, out) : printNull(step, kind, out);
        break;
      case opFirst:
        out = printFirst(step, slot, kind, out);
        break;
      case opWindow:
        out = printWindow(step, slot, out);
        break;
      case opInner:
        out = printNextInner(out);
        break;
      case opSwitch:
        step = chosen(step, slot);
        if (step === 0) return 0;
        continue;
      case opChoice:
        if (isString(kind) || kind === kindObject) step = load<u32>(step, stepTable);
        else if (kind <= kindNull) step = load<u32>(step, stepOtherwise);
        else return refuse(refusedNotExpected);
        continue;
      default:
        unreachable();
    }
    if (out === 0) return 0;
    step = load<u32>(step, stepAfter);
  }
}

function printList(step: usize, slot: usize, out: usize): usize {
  const count = lengthOf(slot);
  if (count === 0 && load<u32>(step, stepOtherwise)) {
    store<u32>(out, wordNull);
    return out + 4;
  }
  store<u8>(out, openBracket);
  out++;
  const body: usize = load<u32>(step, stepBody);
  let frame = startOf(slot);
  for (let at: usize = 0; at < count; at++) {
    out = printEntry(body, frame, at === 0, out);
    if (out === 0) return 0;
    frame = load<u32>(frame, frameNext);
  }
  store<u8>(out, closeBracket);
  return out + 1;
}

function printFirst(step: usize, slot: usize, kind: i32, out: usize): usize {
  if (kind !== kindList) return printNull(step, kind, out);
  if (lengthOf(slot) === 0) return printNull(step, kindNull, out);
  return printEntry(load<u32>(step, stepBody), startOf(slot), true, out);
}

function printEntry(body: usize, frame: usize, isFirst: bool, out: usize): usize {
  if (load<u32>(frame, frameKind) !== kindObject) return refuse(refusedNotExpected);
  if (!isFirst) {
    store<u8>(out, comma);
    out++;
  }
  return printSteps(body, frame, out);
}

function printWindow(step: usize, slot: usize, out: usize): usize {
  const kind = kindOf(slot);
  if (kind !== kindList) return refuse(kind > kindNull ? refusedNotExpected : refusedMissing);
  const from: u32 = load<u32>(current, printFrom);
  const to = min(load<u32>(current, printTo), <u32>lengthOf(slot));
  const body: usize = load<u32>(step, stepBody);
  const outerPlace = place;
  let frame = startOf(slot);
  for (let at: u32 = 0; at < to; at++) {
    if (at >= from) {
      place = at - from;
      out = printEntry(body, frame, place === 0, out);
      if (out === 0) return 0;
    }
    frame = load<u32>(frame, frameNext);
  }
  place = outerPlace;
  return out;
}

/** @returns the first step of the chosen case */
function chosen(step: usize, slot: usize): usize {
  const kind = kindOf(slot);
  if (kind <= kindNull) return refuse(refusedMissing);
  if (!isString(kind) || !isLiteral(slot, kind)) return refuse(refusedNotExpected);
  const found = find(load<u32>(step, stepTable), startOf(slot), lengthOf(slot));
  return found === 0 ? refuse(refusedNotExpected) : load<u32>(found, keyValue);
}
