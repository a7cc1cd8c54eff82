/** The schemas of the set-ups: each is a part of the whole, and has no field that can only fail. */
import { findBreakingChanges, type GraphQLResolveInfo, validateSchema } from 'graphql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLoaders } from '../../src/capabilities/loaders.ts';
import { readWith } from '../../src/capabilities/posts/graphql/reading-account.ts';
import { fieldsOf } from '../../src/graphql/kit/schema-fields.ts';
import { printedSchema } from '../../src/graphql/schema/print.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import { type SetUp, setUps } from '../../src/kernel/set-up.ts';
import { startGateway } from '../support/gateway.ts';
import { requestContext } from '../support/request-context.ts';
import { argumentsFor, having } from '../support/resolving.ts';
import { schemas } from '../support/served-part.ts';

const service = { UPSTREAM_URL: 'http://127.0.0.1:9' };
const ownKeys = { ...service, UPSTREAM_API_KEY: 'of-the-service' };
const environments: Readonly<Record<SetUp, Readonly<Record<string, string>>>> = {
  embedded: {},
  'own-webhooks': { ...ownKeys, WEBHOOKS: 'own', PUBLIC_URL: 'http://127.0.0.1:9' },
  'own-keys': ownKeys,
  'forwarded-keys': service,
};

const names = ['accounts', 'jobs', 'posts', 'webhooks', 'deliveries'] as const;

/** Members of ports that a backend may lack. */
const optional: readonly string[] = ['pages', 'found', 'hasShortPages'];

/** The ports with their methods in place of what these do, and the names of others that are asked for. */
function portsThatTell(ports: Ports) {
  const missing = new Set<string>();
  const told = (name: (typeof names)[number]) =>
    new Proxy(ports[name], {
      get(port, method) {
        if (typeof method === 'symbol' || optional.includes(method)) return undefined;
        if (!(method in port)) missing.add(`${name}.${method}`);
        return () => Promise.reject(new Error('Not called'));
      },
    });
  const telling = Object.fromEntries(names.map((name) => [name, told(name)]));
  return { missing, ports: { ...telling, serviceJudges: () => false } as unknown as Ports };
}

describe.each(setUps)('the schema of %s', (setUp) => {
  const schema = schemas[setUp];

  test('is valid, and a part of the whole', () => {
    expect(validateSchema(schema)).toEqual([]);
    expect(findBreakingChanges(schema, schemas.embedded)).toEqual([]);
  });

  test('has no field that leads to what the gateway does not do', async () => {
    const gateway = await startGateway({ environment: environments[setUp] });
    onTestFinished(() => gateway.close());
    const { missing, ports } = portsThatTell(gateway.app.ports);
    const led: Record<string, string[]> = {};
    for (const { type, field } of fieldsOf(schema)) {
      const run = field.subscribe ?? field.resolve;
      const context = { ...requestContext('w'), ports, cursors: {}, storedResponses: null };
      const info = { parentType: type, fieldName: field.name, fieldNodes: [], schema } as unknown as GraphQLResolveInfo;
      try {
        const loaders = createLoaders(ports, context);
        const value: unknown = await run?.(
          readWith(having('x'), 'a'),
          argumentsFor(field),
          { ...context, loaders },
          info,
        );
        await Promise.all(Array.isArray(value) ? value : []);
      } catch {
        // Only what was asked for counts.
      }
      if (missing.size > 0) led[`${type.name}.${field.name}`] = [...missing];
      missing.clear();
    }
    expect(led).toEqual({});
  });

  test('is what the gateway serves', async () => {
    const gateway = await startGateway({ environment: environments[setUp] });
    onTestFinished(() => gateway.close());
    const response = await fetch(`${gateway.address}/schema.graphql`);
    expect(await response.text()).toBe(printedSchema(schema));
  });
});

test('what a gateway does not do would be found', async () => {
  const { missing, ports } = portsThatTell({
    accounts: {},
    jobs: {},
    posts: {},
    webhooks: {},
    deliveries: {},
  } as unknown as Ports);
  void ports.accounts.list;
  expect([...missing]).toEqual(['accounts.list']);
});
