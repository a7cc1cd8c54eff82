/** Generators of valid and invalid values for the JSON Schemas of the OpenAPI document. */
import fc from 'fast-check';

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly not?: object;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** Any text without U+0000, which the gateway refuses and JSON Schema cannot forbid. */
const text = (minLength = 0, maxLength = 40) =>
  fc
    .string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, 40) })
    .map((value) => value.replaceAll('\0', '0'));

const name = fc.stringMatching(/^[a-z]{1,20}$/);

/** Values that are valid for the schema. */
export function validFor(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.oneOf !== undefined) return fc.oneof(...schema.oneOf.map(validFor));
  switch (schema.type) {
    case 'object':
      return validObject(schema);
    case 'array':
      return fc.array(validFor(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(3, schema.maxItems ?? 3)),
      });
    case 'string':
      if (schema.format === 'email') return fc.tuple(name, name).map(([user, host]) => `${user}@${host}.example`);
      if (schema.format === 'uri') return fc.webUrl({ validSchemes: ['https'] });
      if (schema.pattern === '^\\d+$') return fc.stringMatching(/^\d{1,20}$/);
      return text(schema.minLength, schema.maxLength);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6 });
    case 'number':
      return fc.double({
        noNaN: true,
        noDefaultInfinity: true,
        min: schema.minimum ?? schema.exclusiveMinimum ?? -1e300,
        minExcluded: schema.exclusiveMinimum !== undefined,
      });
    case 'boolean':
      return fc.boolean();
    default:
      return fc.jsonValue();
  }
}

function validObject({ properties = {}, required = [], minProperties = 0, maxProperties = 99 }: Schema) {
  const possible = Object.entries(properties).filter(([, schema]) => schema.not === undefined);
  return fc
    .record(Object.fromEntries(possible.map(([name, schema]) => [name, validFor(schema)])), {
      requiredKeys: [...required],
    })
    .map(withConsistentFields)
    .filter((value) => Object.keys(value).length >= minProperties && Object.keys(value).length <= maxProperties);
}

/**
 * Applies the rules between fields, which JSON Schema cannot express: ordered bounds, and expected choices that exist.
 */
function withConsistentFields(value: Record<string, unknown>): Record<string, unknown> {
  const { min, max, min_expectation: from, max_expectation: to, choices, functions } = value;
  return {
    ...value,
    ...(typeof min === 'number' && typeof max === 'number' ? { min: Math.min(min, max), max: Math.max(min, max) } : {}),
    ...(typeof from === 'number' && typeof to === 'number'
      ? { min_expectation: Math.min(from, to), max_expectation: Math.max(from, to) }
      : {}),
    ...(Array.isArray(choices) ? { expected_choices: choices.slice(1) } : {}),
    ...(Array.isArray(functions) ? { functions: functions.map((each) => String(each).toLowerCase()) } : {}),
  };
}

/** Values that are mostly invalid: valid ones with a field left out, added, or replaced. */
export function invalidFor(schema: Schema): fc.Arbitrary<unknown> {
  const names = [...namesOf(schema), '__proto__', 'constructor', 'toString', 'unknown_field'];
  const name = fc.constantFrom(...names);
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('NaN', 'Infinity', '-1', '1e999', '', null, [], {}, -0, 1e308),
  );
  const object = validFor(schema) as fc.Arbitrary<Record<string, unknown>>;
  return fc.oneof(
    anything,
    fc.tuple(object, name).map(([value, field]) => {
      const { [field]: _, ...rest } = value;
      return rest;
    }),
    fc
      .tuple(object, name, anything)
      .map(([value, field, odd]) => Object.fromEntries([...Object.entries(value), [field, odd]])),
  );
}

const namesOf = ({ properties = {}, oneOf = [] }: Schema): string[] => [
  ...Object.keys(properties),
  ...oneOf.flatMap(namesOf),
];
