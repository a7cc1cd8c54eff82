/** `@requiresScopes` says what a field refuses, neither more nor less: each field of the schema is tried. */
import type { GraphQLField, GraphQLResolveInfo } from 'graphql';
import { expect, test } from 'vitest';
import { createLoaders } from '../../src/capabilities/loaders.ts';
import { readWith } from '../../src/capabilities/posts/graphql/reading-account.ts';
import { requiredScopesOf } from '../../src/graphql/kit/required-scopes.ts';
import { fieldsOf } from '../../src/graphql/kit/schema-fields.ts';
import { permits, type Scope, scopeNames } from '../../src/kernel/caller.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import { requestContext } from '../support/request-context.ts';
import { argumentsFor, having } from '../support/resolving.ts';
import { schema } from '../support/schema.ts';

const ports = having(having(() => Promise.reject(new Error('A port was called')))) as Ports;

/** @returns whether a caller with the scopes is refused for one that it lacks */
async function refuses(
  { field, parentType }: { readonly field: GraphQLField<unknown, unknown>; readonly parentType: object },
  scopes: readonly Scope[],
): Promise<boolean> {
  const run = field.subscribe ?? field.resolve;
  if (run === undefined) return false;
  const { caller, ...request } = requestContext('w');
  const context = {
    ...request,
    caller: { ...caller, scopes: new Set(scopes) },
    ports,
    cursors: {},
    storedResponses: null,
  };
  const loaders = createLoaders(ports, context);
  const info = { parentType, fieldName: field.name, fieldNodes: [], schema } as unknown as GraphQLResolveInfo;
  try {
    const value: unknown = await run(readWith(having('x'), 'a'), argumentsFor(field), { ...context, loaders }, info);
    await Promise.all(Array.isArray(value) ? value : []);
    return false;
  } catch (error) {
    return error instanceof ServiceError && error.errorName === 'insufficient_privileges';
  }
}

const fields = [...fieldsOf(schema)].map(({ type, field }) => ({
  coordinate: `${type.name}.${field.name}`,
  parentType: type,
  field,
  required: requiredScopesOf(field)?.scopes,
}));

test('each field that refuses a key without scopes says which it needs, and no other field does', async () => {
  const refusing: string[] = [];
  for (const each of fields) if (await refuses(each, [])) refusing.push(each.coordinate);
  const saying = fields.filter(({ required }) => required !== undefined).map(({ coordinate }) => coordinate);
  expect(refusing).toEqual(saying);
  expect(saying.length).toBeGreaterThan(50);
});

test.each(fields.filter(({ required }) => required !== undefined))(
  '$coordinate refuses exactly the keys that lack $required',
  async (each) => {
    const one = each.required?.[0]?.[0] as Scope;
    expect(each.required).toEqual(scopeNames.filter((scope) => permits(new Set([scope]), one)).map((scope) => [scope]));
    for (const scope of scopeNames) {
      const given = each.required?.some((list) => list.includes(scope));
      expect([scope, await refuses(each, [scope])]).toEqual([scope, !given]);
    }
  },
);
