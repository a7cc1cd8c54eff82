import { givenBytes, givenListCount, givenLists, refusedMissing } from '../layout.ts';
import { refuse } from './refusal.ts';
import { printSpan } from './room.ts';

/** The texts that are given to this print. */
let givens: usize = 0;

export function setGivens(address: usize): void {
  givens = address;
}

export function printGiven(list: u32, index: u32, out: usize): usize {
  const text = givenText(list, index);
  return text === 0 ? 0 : printSpan(load<u32>(text), load<u32>(text, 4), out);
}

/** @returns the address of the address and the length of a text, or 0 if it is not given */
export function givenText(list: u32, index: u32): usize {
  if (list >= load<u32>(givens, givenListCount)) return refuse(refusedMissing);
  const texts = givens + givenLists + list * givenBytes;
  return index < load<u32>(texts, 4) ? <usize>load<u32>(texts) + index * givenBytes : refuse(refusedMissing);
}
