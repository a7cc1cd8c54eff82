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
  opInstant,
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
import { closeBracket, comma, openBracket } from './characters.ts';
import { find } from './dictionary.ts';
import { printParameter, setParameters } from './parameters.ts';
import { printBase64url, printInstant, printMapped, printNull, printNumber, printPresence } from './print-leaf.ts';
import { printString } from './print-string.ts';
import { refusal, refuse } from './refusal.ts';
import { copy, limit, reserve, setBound } from './room.ts';
import { isLiteral, isString, kindOf, lengthOf, startOf } from './slots.ts';

/** The entries of the window. */
let windowFrom: u32 = 0;
let windowTo: u32 = 0;
/** Index in the window of the printed entry. */
let place: u32 = 0;

/**
 * @param most no output is written behind this address
 * @returns the end of the output, or a code of refusal
 */
export function print(
  step: usize,
  frame: usize,
  from: u32,
  to: u32,
  parameters: usize,
  out: usize,
  most: usize,
): i32 {
  setParameters(parameters);
  windowFrom = from;
  windowTo = to;
  place = 0;
  setBound(most);
  const end = printSteps(step, frame, out);
  setBound(usize.MAX_VALUE);
  return end === 0 ? refusal : <i32>end;
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
      case opWindow:
        out = printWindow(step, slot, out);
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
  store<u8>(out, openBracket);
  out++;
  const body: usize = load<u32>(step, stepBody);
  const count = lengthOf(slot);
  let frame = startOf(slot);
  for (let at: usize = 0; at < count; at++) {
    out = printEntry(body, frame, at === 0, out);
    if (out === 0) return 0;
    frame = load<u32>(frame, frameNext);
  }
  store<u8>(out, closeBracket);
  return out + 1;
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
  const to = min(windowTo, <u32>lengthOf(slot));
  const body: usize = load<u32>(step, stepBody);
  const outerPlace = place;
  let frame = startOf(slot);
  for (let at: u32 = 0; at < to; at++) {
    if (at >= windowFrom) {
      place = at - windowFrom;
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
  if (found !== 0) return load<u32>(found, keyValue);
  const otherwise: usize = load<u32>(step, stepOtherwise);
  return otherwise === 0 ? refuse(refusedNotExpected) : otherwise;
}
