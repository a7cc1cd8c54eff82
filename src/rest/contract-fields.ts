/** Leaves only the contract's fields. Values of other types leave as they came: half a response beats none. */
import { z } from 'zod';
import { isObject } from '../kernel/lib/objects.ts';

/** Copies without fields that the shape lacks: the value may be shared. */
type ContractFields = (value: unknown) => unknown;

const unchanged: ContractFields = (value) => value;

/** For objects, lists, and unions of objects with a discriminator. */
export function contractFields(shape: z.core.$ZodType): ContractFields {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return contractFields(shape.unwrap());
  if (shape instanceof z.ZodArray) return ofList(contractFields(shape.element));
  if (shape instanceof z.ZodObject) return ofObject(shape);
  if (shape instanceof z.ZodDiscriminatedUnion) return ofUnion(shape);
  return unchanged;
}

function ofList(ofItem: ContractFields): ContractFields {
  return ofItem === unchanged ? unchanged : (value) => (Array.isArray(value) ? value.map(ofItem) : value);
}

function ofObject({ shape }: z.ZodObject): ContractFields {
  const fields = new Map(Object.entries(shape).map(([name, field]) => [name, contractFields(field)]));
  return (value) => {
    if (!isObject(value)) return value;
    const kept: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const field = fields.get(name);
      if (field !== undefined) kept[name] = field(value[name]);
    }
    return kept;
  };
}

function ofUnion({ options, def: { discriminator } }: z.ZodDiscriminatedUnion): ContractFields {
  const variants = new Map<unknown, ContractFields>();
  for (const option of options) {
    const compiled = contractFields(option);
    for (const tag of tagsOf(option, discriminator)) variants.set(tag, compiled);
  }
  return (value) => (isObject(value) ? (variants.get(value[discriminator]) ?? unchanged)(value) : value);
}

function tagsOf(option: z.core.$ZodType, discriminator: string): readonly unknown[] {
  if (option instanceof z.ZodDiscriminatedUnion) return option.options.flatMap((each) => tagsOf(each, discriminator));
  const tag = option instanceof z.ZodObject ? option.shape[discriminator] : undefined;
  return tag instanceof z.ZodLiteral ? [...tag.values] : [];
}
