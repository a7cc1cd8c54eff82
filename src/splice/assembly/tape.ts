import {
  blockBytes,
  frameKind,
  frameNext,
  kindBits,
  kindObject,
  kindOther,
  refusedTooLarge,
  shapeFrameBytes,
  slotStart,
  slotWord,
} from '../layout.ts';
import { refuse } from './refusal.ts';
import { aligned, limit, reserve } from './room.ts';

/** Start of the next frame. */
let end: usize = 0;

/** @returns the address of the first frame */
export function startTape(address: usize): usize {
  end = aligned(address);
  return end;
}

/** @returns the address behind the frames of the last scan */
export function tapeEnd(): usize {
  return end;
}

/** An empty frame for an object, or for a leaf of a list. */
export function newFrame(shape: usize): usize {
  const frame = extend(load<u32>(shape, shapeFrameBytes));
  if (frame === 0) return 0;
  for (let at = frame; at < end; at += blockBytes) v128.store(at, i64x2.splat(0));
  store<u32>(frame, kindObject, frameKind);
  return frame;
}

/** A frame for a list entry that is not noted. */
export function newEntry(): usize {
  const frame = extend(blockBytes);
  if (frame === 0) return 0;
  store<u32>(frame, 0, frameNext);
  store<u32>(frame, kindOther, frameKind);
  return frame;
}

@inline
function extend(bytes: usize): usize {
  const start = end;
  if (start + bytes > limit && !reserve(start + bytes)) return refuse(refusedTooLarge);
  end = start + bytes;
  return start;
}

/** Notes address, length (or count) and kind of a value. */
@inline
export function note(slot: usize, start: usize, length: usize, kind: u32): void {
  store<u32>(slot, <u32>start, slotStart);
  store<u32>(slot, (<u32>length << kindBits) | kind, slotWord);
}
