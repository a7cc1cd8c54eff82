/**
 * What leaves a REST endpoint: the fields that the contract has, whatever a service behind the gateway adds. Reading is
 * tolerant all the same: a value of another type than the contract's, and an item of a kind that it does not have, leave
 * as they came, because half a response is better than none.
 */
import { z } from 'zod';

/** Copies a value without the fields that its shape does not have. The value itself may be shared, and stays as it is. */
export type ContractFields = (value: unknown) => unknown;

const unchanged: ContractFields = (value) => value;

/** Compiles a shape of responses: objects, lists, and unions of objects with a discriminator. */
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

/** The values of the discriminator that select a variant. */
function tagsOf(option: z.core.$ZodType, discriminator: string): readonly unknown[] {
  if (option instanceof z.ZodDiscriminatedUnion) return option.options.flatMap((each) => tagsOf(each, discriminator));
  const tag = option instanceof z.ZodObject ? option.shape[discriminator] : undefined;
  return tag instanceof z.ZodLiteral ? [...tag.values] : [];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
