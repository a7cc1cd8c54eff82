/** API keys through the GraphQL face: which are accepted, where they are sent, and the scope that each field requires. */
import { describe, expect, test } from 'vitest';
import { permits, scopeNames } from '../../src/kernel/caller.ts';
import type { ErrorName } from '../../src/kernel/errors.ts';
import { graphql } from '../support/gateway.ts';
import { fieldOperations, rootFields } from '../support/operations.ts';
import { envelope, serveAuth } from './served-auth.ts';

const auth = serveAuth();

/** Sends an operation with these headers and no other. */
async function askWith(headers: Record<string, string>, query = '{ viewer { name } }') {
  const response = await fetch(`${auth().served.address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  const { data = null, errors = [] } = (await response.json()) as {
    data?: { viewer?: { name: string } } | null;
    errors?: { message: string; extensions: Record<string, unknown> }[];
  };
  return { status: response.status, data, errors };
}

async function invalidKeys(): Promise<readonly (readonly [why: string, key: string | undefined, name: ErrorName])[]> {
  const revoked = await auth().workspace.newKey();
  const { id } = await auth()
    .served.database.selectFrom('api_keys')
    .select('id')
    .orderBy('created_at', 'desc')
    .where('workspace_id', '=', auth().workspace.workspaceId)
    .where('name', '=', 'test')
    .where('hash', '=', await hashOf(revoked))
    .executeTakeFirstOrThrow();
  await auth().served.database.updateTable('api_keys').set({ revoked_at: 0 }).where('id', '=', id).execute();
  const { now } = auth().served.clock;
  return [
    ['missing', undefined, 'missing_credentials'],
    ['empty', '', 'missing_credentials'],
    ['unknown', `postern_${'x'.repeat(43)}`, 'invalid_credentials'],
    ['cut', auth().workspace.key.slice(0, -1), 'invalid_credentials'],
    ['in another case', auth().workspace.key.toUpperCase(), 'invalid_credentials'],
    ['revoked', revoked, 'invalid_credentials'],
    ['expired this moment', await auth().workspace.newKey({ expiresAt: now }), 'expired_credentials'],
  ];
}

async function hashOf(key: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(key))).toString('hex');
}

test('every root field of the schema has a case here, and says its scope', () => {
  expect(fieldOperations.map(({ field }) => field).sort()).toEqual(
    rootFields()
      .map(({ field }) => field)
      .sort(),
  );
  // Node and nodes find things of every kind: each kind has the scope of its own field.
  for (const { field, scopes } of rootFields().filter(
    ({ field: name }) => !/^Query\.(nodes?|viewer|eventSamples)$/.test(name),
  )) {
    const operation = fieldOperations.find((each) => each.field === field);
    expect(scopes?.[0]).toEqual([operation?.scope]);
  }
});

test('a key that is missing, unknown, revoked or expired opens no operation', async () => {
  const keys = await invalidKeys();
  for (const { field, document } of fieldOperations) {
    for (const [why, key, name] of keys) {
      const { status, data, errors } = await graphql(auth().served.address, key, document(auth().named));
      const seen = { field, why, status, data, extensions: errors.map(({ extensions }) => extensions) };
      expect(seen).toMatchObject({ field, why, status: 401, data: null, extensions: [envelope(name)] });
    }
  }
});

test('a key is accepted until the moment it expires', async () => {
  const key = await auth().workspace.newKey({ expiresAt: new Date(auth().served.clock.now.getTime() + 1) });
  expect((await graphql(auth().served.address, key, '{ viewer { name } }')).errors).toEqual([]);
});

describe.each(fieldOperations)('$field', ({ field, scope, document }) => {
  test('requires its scope, and no other', async () => {
    const only = await auth().workspace.newKey({ scopes: scope === null ? [] : [scope] });
    const within = await graphql(auth().served.address, only, document(auth().named));
    const refusals = within.errors.filter(({ path }) => path?.length === 1);
    // `nodes` asks for one thing of each kind, and a token for what its key may.
    if (!['Query.nodes', 'Mutation.createAccessToken'].includes(field)) expect(refusals).toEqual([]);

    if (scope === null) return;
    const others = await auth().workspace.newKey({
      scopes: scopeNames.filter((name) => !permits(new Set([name]), scope)),
    });
    const without = await graphql(auth().served.address, others, document(auth().named));
    expect(without.errors.length).toBeGreaterThan(0);
    for (const { message, extensions } of without.errors) {
      expect(message).toContain(scope);
      expect(extensions).toMatchObject(envelope('insufficient_privileges'));
    }
  });
});

describe('headers', () => {
  test('X-API-KEY, and Authorization: Bearer in any case', async () => {
    const data = { viewer: { name: 'test' } };
    const places: readonly Record<string, string>[] = [
      { 'X-API-KEY': auth().workspace.key },
      { authorization: `Bearer ${auth().workspace.key}` },
      { authorization: `bearer ${auth().workspace.key}` },
    ];
    for (const headers of places) {
      expect(await askWith(headers)).toMatchObject({ status: 200, data, errors: [] });
    }
  });

  test('X-API-KEY comes first, and no other scheme counts', async () => {
    const invalid = await askWith({ 'x-api-key': 'nonsense', authorization: `Bearer ${auth().workspace.key}` });
    expect(invalid.errors[0]?.extensions.code).toBe('INVALID_CREDENTIALS');
    const basic = await askWith({
      authorization: `Basic ${Buffer.from(`key:${auth().workspace.key}`).toString('base64')}`,
    });
    expect(basic.errors[0]?.extensions.code).toBe('MISSING_CREDENTIALS');
    const bare = await askWith({ authorization: auth().workspace.key });
    expect(bare.errors[0]?.extensions.code).toBe('MISSING_CREDENTIALS');
    // A gateway in front may hand on one of the headers only, so both are named.
    expect(bare.errors[0]?.message).toContain('X-API-KEY');
    expect(bare.errors[0]?.message).toContain('Authorization: Bearer');
  });
});

test('keys with jobs:write can read jobs, as they could before jobs:read existed', () => {
  expect(permits(new Set(['jobs:write']), 'jobs:read')).toBe(true);
  expect(permits(new Set(['jobs:read']), 'jobs:write')).toBe(false);
  expect(permits(new Set(['webhooks:write']), 'webhooks:read')).toBe(false);
});
