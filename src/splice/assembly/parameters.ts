import { parameterBytes, parameterListCount, parameterLists, refusedMissing } from '../layout.ts';
import { refuse } from './refusal.ts';
import { printSpan } from './room.ts';

/** The print whose parameters are used. */
export let current: usize = 0;

export function setCurrent(print: usize): void {
  current = print;
}

export function printParameter(list: u32, index: u32, out: usize): usize {
  const text = parameterText(list, index);
  return text === 0 ? 0 : printSpan(load<u32>(text), load<u32>(text, 4), out);
}

/** @returns the address of a parameter's address and length, or 0 if it was not passed */
export function parameterText(list: u32, index: u32): usize {
  if (list >= load<u32>(current, parameterListCount)) return refuse(refusedMissing);
  const texts = current + parameterLists + list * parameterBytes;
  return index < load<u32>(texts, 4) ? <usize>load<u32>(texts) + index * parameterBytes : refuse(refusedMissing);
}
