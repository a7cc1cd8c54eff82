import type { Part } from '../../../splice/plan.ts';
import { Declined } from '../declined.ts';

/** A shape that is being collected. */
export interface MutableShape {
  [key: string]: 'leaf' | { readonly object: MutableShape } | { readonly list: MutableShape };
}

/**
 * Notes a value of an object. Several fields, also of several types, may read the same value.
 * @throws Declined if it was noted as a value of another kind
 */
export function addShape(shape: MutableShape, key: string, value: MutableShape[string]): void {
  const before = Object.hasOwn(shape, key) ? shape[key] : undefined;
  if (before === undefined) {
    shape[key] = value;
    return;
  }
  if (before === 'leaf' || value === 'leaf') {
    if (before !== value) throw new Declined(`"${key}" is read as an object and as a leaf`);
    return;
  }
  const [ofBefore, ofValue] = [innerOf(before), innerOf(value)];
  if (ofBefore.kind !== ofValue.kind) throw new Declined(`"${key}" is read as an object and as a list`);
  for (const [innerKey, inner] of Object.entries(ofValue.shape)) addShape(ofBefore.shape, innerKey, inner);
}

const innerOf = (value: Exclude<MutableShape[string], 'leaf'>): { kind: string; shape: MutableShape } =>
  'object' in value ? { kind: 'object', shape: value.object } : { kind: 'list', shape: value.list };

export const text = (value: string): Part => ({ kind: 'text', text: value });
