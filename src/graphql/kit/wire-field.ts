import { isObject } from '../../kernel/lib/is-object.ts';
import type { OptionalValue, RequiredValue } from './network-values.ts';
import { standsAt, type WireValue } from './wire.ts';

type PlainValue = Exclude<WireValue, { readonly part: string } | { readonly globalId: string }>;

/** Options of a field with the value at `wire`: one declaration gives resolver and extension, so that they agree. */
export function readAt<Value>(wire: PlainValue, need: RequiredValue | OptionalValue) {
  return {
    ...need,
    extensions: { ...need.extensions, ...standsAt(wire) },
    // network-values.ts and the scalar check the value.
    resolve: (parent: object) => wireValueOf(parent, wire) as Value | null | undefined,
  };
}

function wireValueOf(parent: object, wire: PlainValue): unknown {
  if ('constant' in wire) return wire.constant;
  if ('present' in wire) return (Reflect.get(parent, wire.present) ?? null) !== null;
  const holder: unknown = wire.within === undefined ? parent : Reflect.get(parent, wire.within);
  return isObject(holder) ? Reflect.get(holder, wire.exposed) : undefined;
}
