/** The schema itself: its descriptions, names and ids, and the printed file. */
import { readFile } from 'node:fs/promises';
import {
  type GraphQLArgument,
  GraphQLBoolean,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { printedSchema } from '../../src/graphql/schema/print.ts';
import { schema } from '../support/schema.ts';

const ownTypes = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);
/** Whether it is a list, null or not. */
const isList = (type: GraphQLType) => isListType(getNullableType(type));
const isWithFields = (type: GraphQLNamedType) => isObjectType(type) || isInterfaceType(type);

/** Everything in the schema that can have a description, by its coordinate. */
function* described(): Generator<readonly [coordinate: string, description: string | null | undefined]> {
  for (const type of ownTypes) {
    yield [type.name, type.description];
    if (isWithFields(type)) {
      for (const field of Object.values(type.getFields())) {
        yield [`${type.name}.${field.name}`, field.description];
        for (const arg of field.args) yield [`${type.name}.${field.name}(${arg.name}:)`, arg.description];
      }
    }
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) yield [`${type.name}.${field.name}`, field.description];
    }
    if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value.description];
  }
  for (const directive of schema.getDirectives()) {
    if (!isSpecifiedDirective(directive)) yield [`@${directive.name}`, directive.description];
  }
}

/** Arguments of fields, and fields of inputs. */
function* inputs(): Generator<readonly [coordinate: string, input: GraphQLArgument | GraphQLInputField]> {
  for (const type of ownTypes) {
    if (isWithFields(type))
      for (const field of Object.values(type.getFields()))
        for (const arg of field.args) yield [`${type.name}.${field.name}(${arg.name}:)`, arg];
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) yield [`${type.name}.${field.name}`, field];
  }
}

/** `statuses`, but neither `status` nor `address`. */
const plural = /(?<![su])s$/;
/** Names of lists that have no plural. */
const massNouns = ['data'];

describe('schema', () => {
  test('describes every type, field, argument, enum value and directive', () => {
    const all = [...described()];
    expect(all.length).toBeGreaterThan(500);
    expect(all.filter(([, description]) => !description?.trim()).map(([coordinate]) => coordinate)).toEqual([]);
  });

  test('links every scalar to its specification', () => {
    const scalars = ownTypes.filter(isScalarType).filter((type) => !isSpecifiedScalarType(type));
    expect(scalars.map(({ name }) => name)).toEqual(['Currency', 'DateTime', 'JSON']);
    for (const { name, specifiedByURL } of scalars) expect(specifiedByURL, name).toMatch(/^https:\/\//);
  });

  test('has one kind of time: every point in time is a DateTime, and what was sent for it is only an addition', () => {
    for (const type of ownTypes.filter(isWithFields)) {
      const fields = type.getFields();
      for (const { name, type: kind } of Object.values(fields)) {
        const [, time = name] = /^(.*)Raw$/.exec(name) ?? [];
        if (!/(?:At|Datetime|^since|^until)$/.test(time)) continue;
        expect(String(getNamedType(kind)), `${type.name}.${name}`).toMatch(
          time === name ? /^DateTime$/ : /^(?:Float|String)$/,
        );
        expect(fields, `${type.name}.${name}`).toHaveProperty(time);
      }
    }
  });

  test('has every amount of money beside its currency', () => {
    for (const type of ownTypes.filter(isWithFields)) {
      const { amount, min, max, currency } = type.getFields();
      if ((amount ?? min ?? max ?? currency) !== undefined) expect(String(currency?.type), type.name).toBe('Currency!');
    }
  });

  test('names every input that takes a list in the plural', () => {
    const lists = [...inputs()].filter(([, { type }]) => isList(type));
    expect(lists.length).toBeGreaterThan(30);
    const singular = lists.filter(([, { name }]) => !plural.test(name) && !massNouns.includes(name));
    expect(singular.map(([coordinate]) => coordinate)).toEqual([]);
  });

  test('names every Boolean as what is true of its object: `isEnabled`', () => {
    const fields = ownTypes
      .filter(isWithFields)
      .flatMap((type) =>
        Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const),
      );
    const flags = [...fields, ...inputs()].filter(([, { type }]) => getNamedType(type) === GraphQLBoolean);
    expect(flags.length).toBeGreaterThan(50);
    const others = flags.filter(([, { name }]) => !/^(?:is|has|can|must|receives|bypasses)[A-Z]/.test(name));
    expect(others.map(([coordinate]) => coordinate)).toEqual([]);
  });

  test('is the one in schema.graphql: `npm run schema` writes it', async () => {
    expect(await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8')).toBe(printedSchema(schema));
  });

  test('names the input of each mutation after it', () => {
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
    const named = ({ name }: { name: string }) => [`${name[0]?.toUpperCase()}${name.slice(1)}Input!`];
    expect(mutations.map(({ args }) => args.map(({ type }) => String(type)))).toEqual(mutations.map(named));
  });

  test('has no mutation that cannot be null, as its failure would hide what the others of its operation did', () => {
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
    expect(mutations.length).toBeGreaterThan(10);
    expect(mutations.filter(({ type }) => isNonNullType(type)).map(({ name }) => name)).toEqual([]);
  });

  test('repeats the name of a type only in the names of raw ids', () => {
    const repeated = ownTypes
      .filter(isWithFields)
      .flatMap((type) => Object.keys(type.getFields()).map((name) => [type.name, name] as const))
      .filter(([type, name]) => name.toLowerCase().startsWith(type.toLowerCase()))
      .filter(([type]) => !['Query', 'Mutation'].includes(type));
    expect(repeated.filter(([, name]) => !name.endsWith('Id'))).toEqual([]);
  });

  test('types raw ids as ID, and global ids as `id: ID!`', () => {
    for (const type of ownTypes.filter(isWithFields)) {
      for (const field of Object.values(type.getFields())) {
        if (field.name === 'id') expect(String(field.type), `${type.name}.id`).toBe('ID!');
        if (/Ids?$/.test(field.name))
          expect(String(field.type), `${type.name}.${field.name}`).toMatch(/^\[?ID!?\]?!?$/);
      }
    }
  });

  test('every exception of the linter is a type of the schema', async () => {
    // @ts-expect-error: the configuration is plain JavaScript
    const { valueObjects: exceptions } = await import('../lint/value-objects.js');
    const names = ownTypes.filter(isWithFields).map(({ name }) => name);
    for (const name of exceptions.types) expect(names).toContain(name);
    for (const suffix of exceptions.suffixes) expect(names.some((name) => name.endsWith(suffix))).toBe(true);
    for (const type of ownTypes.filter(isObjectType)) {
      const excepted =
        exceptions.types.includes(type.name) ||
        exceptions.suffixes.some((suffix: string) => type.name.endsWith(suffix));
      if (excepted) expect(Object.keys(type.getFields()), type.name).not.toContain('id');
    }
  });
});
