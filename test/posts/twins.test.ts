/** Two fields of a post with one value: that with the contract's name is deprecated, and its reason names the other. */
import { type GraphQLField, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/capabilities/schema.ts';
import { wireOf } from '../../src/graphql/kit/wire.ts';

/** Equal on photonet, but not what a user is called elsewhere: `username` is what `posts` takes, `name` what is shown. */
const exceptions = ['PhotonetOwner.username'];

const types = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => /^(Pnet|Photonet)/.test(name));

/** Where a field reads its value. */
const placeOf = (field: GraphQLField<unknown, unknown>): string | null => {
  const wire = wireOf(field) ?? field.extensions.pothosExposedField;
  return wire === undefined || wire === null || (typeof wire === 'object' && 'constant' in wire)
    ? null
    : JSON.stringify([String(field.type), wire]);
};

const twins = types.flatMap((type) => {
  const fields = Object.values(type.getFields());
  return fields.flatMap((one, index) =>
    fields
      .slice(index + 1)
      .filter((other) => placeOf(one) !== null && placeOf(one) === placeOf(other))
      .map((other) => [type.name, one, other] as const),
  );
});

test('every post and author has some', () => {
  expect(new Set(twins.map(([name]) => name))).toEqual(new Set(['PnetPost', 'PhotonetPost', 'PhotonetOwner']));
  expect(twins.length).toBeGreaterThanOrEqual(9);
});

test.each(twins.map(([type, one, other]) => [`${type}.${one.name}`, `${type}.${other.name}`, one, other] as const))(
  '%s and %s: exactly one is deprecated, in favour of the other',
  (path, otherPath, one, other) => {
    const [old, current] = one.deprecationReason === undefined ? [other, one] : [one, other];
    if (exceptions.includes(path) || exceptions.includes(otherPath)) return;
    expect(current.deprecationReason).toBeUndefined();
    expect(old.deprecationReason).toBe(`The contract's name; use \`${current.name}\`.`);
  },
);

test('nothing else is deprecated', () => {
  const deprecated = types.flatMap((type) =>
    Object.values(type.getFields())
      .filter(({ deprecationReason }) => deprecationReason !== undefined)
      .map((field) => `${type.name}.${field.name}`),
  );
  const known = twins.flatMap(([type, one, other]) => [`${type}.${one.name}`, `${type}.${other.name}`]);
  for (const field of deprecated) expect(known).toContain(field);
});
