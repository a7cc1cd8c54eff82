import { parameterBytes, parameterListCount, parameterLists, refusedMissing } from '../layout.ts';
import { refuse } from './refusal.ts';
import { printSpan } from './room.ts';

let parameters: usize = 0;

export function setParameters(address: usize): void {
  parameters = address;
}

export function printParameter(list: u32, index: u32, out: usize): usize {
  const text = parameterText(list, index);
  return text === 0 ? 0 : printSpan(load<u32>(text), load<u32>(text, 4), out);
}

/** @returns the address of a parameter's address and length, or 0 if it was not passed */
export function parameterText(list: u32, index: u32): usize {
  if (list >= load<u32>(parameters, parameterListCount)) return refuse(refusedMissing);
  const texts = parameters + parameterLists + list * parameterBytes;
  return index < load<u32>(texts, 4) ? <usize>load<u32>(texts) + index * parameterBytes : refuse(refusedMissing);
}
