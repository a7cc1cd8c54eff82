/** Fields that are read from a place that `t.expose` cannot name. */
import { isObject, type OptionalValue, type RequiredValue } from './network-values.ts';
import { standsAt, type WireValue } from './wire.ts';

type PlainValue = Exclude<WireValue, { readonly part: string } | { readonly globalId: string }>;

/**
 * Options of a field that has the value at `wire`. The resolver and the extension of the field come from one declaration,
 * so that they cannot disagree.
 * @param need what the contract says of the value
 */
export function readAt<Value>(wire: PlainValue, need: RequiredValue | OptionalValue) {
  return {
    ...need,
    extensions: { ...need.extensions, ...standsAt(wire) },
    // What it is, network-values.ts and the scalar of the field check.
    resolve: (parent: object) => valueAt(parent, wire) as Value | null | undefined,
  };
}

function valueAt(parent: object, wire: PlainValue): unknown {
  if ('constant' in wire) return wire.constant;
  if ('present' in wire) return (Reflect.get(parent, wire.present) ?? null) !== null;
  const holder: unknown = wire.within === undefined ? parent : Reflect.get(parent, wire.within);
  return isObject(holder) ? Reflect.get(holder, wire.exposed) : undefined;
}
