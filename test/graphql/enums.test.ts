/** Enums that are read accept values that the gateway does not know; as inputs they never do. */
import {
  type GraphQLArgument,
  GraphQLEnumType,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
} from 'graphql';
import { expect, test } from 'vitest';
import { graphql, startGateway } from '../support/gateway.ts';
import { fields } from '../support/hostile-inputs.ts';
import { schema } from '../support/schema.ts';

const types = Object.values(schema.getTypeMap());
const enums = types.filter((type) => isEnumType(type));
const tolerant = enums.filter((type) => type.getValue('UNRECOGNIZED') !== undefined);

test('an output enum serializes a known value under its name, and an unknown one as UNRECOGNIZED', () => {
  const reaction = schema.getType('PnetReaction') as GraphQLEnumType;
  expect(reaction).toBeInstanceOf(GraphQLEnumType);
  expect(reaction.serialize('PRAISE')).toBe('PRAISE');
  for (const unknown of ['CURIOUS', '', 'constructor', 7, null]) {
    expect(reaction.serialize(unknown)).toBe('UNRECOGNIZED');
  }
});

/** The type at a place: `input.data[].key` of the arguments. */
function typeAt(args: readonly GraphQLArgument[], place: string): GraphQLInputType | undefined {
  const [first, ...names] = place.replaceAll('[]', '').split('.');
  return names.reduce<GraphQLInputType | undefined>(
    (type, name) => {
      const object = type && getNamedType(type);
      return isInputObjectType(object) ? object.getFields()[name]?.type : undefined;
    },
    args.find(({ name }) => name === first)?.type,
  );
}

test('UNRECOGNIZED as an input is refused with an issue at its path, in a variable and in the document', async () => {
  await using stack = new AsyncDisposableStack();
  const gateway = await startGateway();
  stack.defer(() => gateway.close());
  const { key } = await gateway.workspace();
  let refused = 0;
  for (const { name, document, places } of fields) {
    const { args } = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() }[name] as {
      args: readonly GraphQLArgument[];
    };
    for (const place of places.filter(({ kind }) => kind === 'value')) {
      const type = typeAt(args, place.name);
      if (type === undefined || !tolerant.some((each) => each === getNamedType(type))) continue;
      const path = place.name.replaceAll('[]', '.0').split('.');
      const variables = place.with('UNRECOGNIZED') as Record<string, unknown>;
      const { data, errors } = await graphql(gateway.address, key, document, variables);
      const issues = data?.[name]?.issues ?? errors[0]?.extensions?.issues;
      // A source without a choice of fields refuses the list.
      const paths = issues?.map((issue: { path: unknown[] }) => issue.path.join('.')) as string[];
      expect({ name, path, found: paths.some((each) => path.join('.').startsWith(each)) || paths }).toEqual({
        name,
        path,
        found: true,
      });
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(12);
  const { errors } = await graphql(gateway.address, key, '{ webhooks(sources: UNRECOGNIZED) { nodes { id } } }');
  expect(errors).toMatchObject([{ path: ['webhooks'], extensions: { issues: [{ code: 'NOT_ALLOWED' }] } }]);
  expect(errors[0]?.message).toMatch(/ must be one of MESSAGING, USERS/);
});
