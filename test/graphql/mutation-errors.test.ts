/** A failure of a mutation that a caller can handle is a member of its union, which has no member that no failure is. */
import { execute, isInterfaceType, isUnionType, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { errorNames, errorTable, ServiceError } from '../../src/kernel/errors.ts';
import { fieldOperations } from '../support/operations.ts';
import { schema } from '../support/schema.ts';

const named = { accountId: 'a', draftId: '1', webhookId: 'w', triggerId: 't', deliveryId: 'd' };
const mutations = fieldOperations
  .filter(({ field }) => field.startsWith('Mutation.'))
  .map(({ field, document }) => [field.slice('Mutation.'.length), parse(document(named))] as const);

/** What every operation of every port ends with. */
const contextOf = (failure: ServiceError) => {
  const port = new Proxy({}, { get: () => () => Promise.reject(failure) });
  const ports = { accounts: port, jobs: port, webhooks: port, deliveries: port, serviceJudges: () => true };
  const caller = { scopes: { has: () => true }, mayRead: () => true };
  return { ports, caller, requestId: 'request', signal: new AbortController().signal, storedResponses: null };
};

const failures = Object.values(schema.getTypeMap()).filter(
  (type) => 'getInterfaces' in type && type.getInterfaces().some(({ name }) => name === 'ServiceError'),
);

describe.each(mutations)('%s', (name, document) => {
  test('has the error types that its failures are, and no others', async () => {
    const seen = new Set<string>();
    for (const errorName of errorNames) {
      const { data, errors } = await execute({
        schema,
        document,
        contextValue: contextOf(new ServiceError(errorName)),
      });
      const result = data?.[name] as { readonly __typename: string; readonly code: string } | null | undefined;
      const { family } = errorTable[errorName];
      if (family === 'key' || family === 'system') {
        expect([errorName, result, errors]).toMatchObject([errorName, null, [{ path: [name] }]]);
      } else {
        expect([errorName, errors, result?.code]).toEqual([errorName, undefined, errorName.toUpperCase()]);
        seen.add(result?.__typename ?? '');
      }
    }
    const union = schema.getMutationType()?.getFields()[name]?.type;
    const members = isUnionType(union) ? union.getTypes().filter((type) => failures.includes(type)) : [];
    expect([...seen].sort()).toEqual(members.map((type) => type.name).sort());
  });
});

test('an error type has a field of its own, but for the one of all other codes', () => {
  const shared = schema.getType('ServiceError');
  const common = isInterfaceType(shared) ? Object.keys(shared.getFields()) : [];
  expect(common.sort()).toEqual(['code', 'message', 'requestId', 'status']);
  const own = failures.map((type) => [
    type.name,
    'getFields' in type ? Object.keys(type.getFields()).filter((field) => !common.includes(field)) : [],
  ]);
  expect(Object.fromEntries(own)).toEqual({
    CheckpointError: ['checkpoint', 'issues'],
    InvalidRequestError: ['issues'],
    RequestError: [],
  });
});
