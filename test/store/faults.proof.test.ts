/**
 * Whatever statement of whatever operation the database fails at, on either face: the response is 503
 * `errors/service_unavailable` with `Retry-After`, or the success that does not need the statement. Where a commit is lost
 * with its connection, nobody knows whether it was made: that is 504 `errors/request_timeout`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EndpointName } from '../../src/kernel/endpoint.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import { backends, type Served } from '../support/backends.ts';
import { conflicts, type Fault, faults, type InjectedFaults, injectFaults } from '../support/database-faults.ts';
import { databases } from '../support/databases.ts';
import { healthy } from '../support/faults.ts';
import { graphql, startGateway } from '../support/gateway.ts';
import { documentOf, fieldOperations, furnish, type Named } from '../support/operations.ts';
import { callEndpoint, type FlatRequest } from '../support/rest.ts';
import { startStub } from '../support/stub.ts';

/** What a client sees of a response on either face. */
interface Seen {
  readonly failures: readonly { readonly type: unknown; readonly status: unknown }[];
  readonly retryAfter: string | null;
  readonly text: string;
}

type Ask = (named: Named, key: string) => Promise<Seen>;

const restRequests: Readonly<Record<EndpointName, (named: Named) => FlatRequest>> = {
  EDIT: ({ accountId, draftId }) => ({ job_id: draftId, account_id: accountId, workplace: 'REMOTE' }),
  POSTS: ({ accountId }) => ({ identifier: 'ACoSandbox1', account_id: accountId, limit: 1 }),
  WHLIST: () => ({ limit: 1 }),
  WHCREATE: () => ({ source: 'users', request_url: 'https://hooks.example/in' }),
  WHDEL: ({ webhookId }) => ({ id: webhookId }),
  PUB: ({ accountId, draftId }) => ({ draft_id: draftId, account_id: accountId, mode: 'FREE' }),
  CHK: ({ accountId, draftId }) => ({ draft_id: draftId, account_id: accountId, input: '123456' }),
};

const ofGraphQL =
  (document: (named: Named) => string): ((address: string) => Ask) =>
  (address) =>
  async (named, key) => {
    const { errors, headers, data } = await graphql(address, key, document(named));
    return {
      failures: errors.map(({ extensions: { code, status } }) => ({
        type: `errors/${String(code).toLowerCase()}`,
        status,
      })),
      retryAfter: headers.get('retry-after'),
      text: JSON.stringify({ data, errors }),
    };
  };

const ofRest =
  (name: EndpointName): ((address: string) => Ask) =>
  (address) =>
  async (named, key) => {
    const { status, body, headers, text } = await callEndpoint(address, key, name, restRequests[name](named));
    const failures = status < 400 ? [] : [{ type: body.type, status }];
    return { failures, retryAfter: headers.get('retry-after'), text };
  };

interface Operation {
  readonly name: string;
  /** Whether it leaves everything as it is. */
  readonly reads: boolean;
  readonly ask: (address: string) => Ask;
}

const everything: readonly Operation[] = [
  ...fieldOperations.map(({ field, document }): Operation => {
    return { name: field, reads: field.startsWith('Query.'), ask: ofGraphQL(document) };
  }),
  ...endpoints.map(({ name, method }): Operation => {
    return { name: `REST ${name}`, reads: method === 'GET', ask: ofRest(name) };
  }),
];

const embedded = backends.flatMap((backend) => {
  const kind = /^embedded on (SQLite|Postgres)$/.exec(backend.name)?.[1] as keyof typeof faults | undefined;
  return kind === undefined ? [] : [{ ...backend, kind }];
});

const unavailable = { type: 'errors/service_unavailable', status: 503 };
const unconfirmed = { type: 'errors/request_timeout', status: 504 };
/** What ends a connection, or a thread: with its commit, the outcome of a transaction is unknown. */
const endings = { SQLite: [faults.SQLite[4]], Postgres: [faults.Postgres[0], faults.Postgres[5]] } as const;

describe.each(embedded)('$name', ({ start, kind }) => {
  let served: Served;
  let injected: InjectedFaults;
  beforeAll(async () => {
    // The statements of the engine are no requests'.
    served = await start({ delivery: { pollMs: 3_600_000, limits: { slots: 0 } } });
    injected = injectFaults();
  });
  afterAll(async () => {
    injected.restore();
    await served.close();
  });

  async function furnished() {
    const workspace = await served.workspace();
    return { workspace, named: await furnish(workspace) };
  }

  /**
   * Asks with each statement failing in turn, until there is none left. A new key has to be looked up.
   * @returns how many statements there are
   */
  async function failEach(
    { ask, reads }: Operation,
    list: readonly Fault[],
    check: (seen: Seen, number: number, fault: Fault) => void,
  ): Promise<number> {
    let space = await furnished();
    for (let number = 1; ; number += 1) {
      if (!reads) space = await furnished();
      const key = await space.workspace.newKey();
      const fault = list[number % list.length] as Fault;
      injected.failAt(number, fault);
      const seen = await ask(served.address)(space.named, key);
      const { failed } = injected;
      injected.stop();
      if (failed === 0) return number - 1;
      check(seen, number, fault);
    }
  }

  test.each(everything)('$name', async (operation) => {
    const statements = await failEach(operation, faults[kind], ({ failures, retryAfter, text }, number, fault) => {
      expect({ number, text }).not.toEqual({ number, text: expect.stringContaining('unexpected_error') });
      if (failures.length === 0) return;
      // What ends a connection may end the commit of this request: by its number, or since all connections are renewed then.
      // What the network has done may be stored or not.
      const mayBeLost =
        (endings[kind] as readonly Fault[]).includes(fault) ||
        /(?:Job|JobCheckpoint|EDIT|PUB|CHK)$/.test(operation.name);
      const isLost = !operation.reads && mayBeLost && failures[0]?.status === 504;
      const expected = isLost ? unconfirmed : unavailable;
      expect({ number, failures }).toEqual({ number, failures: failures.map(() => expected) });
      expect({ number, retryAfter }).toEqual({ number, retryAfter: isLost ? null : '5' });
    });
    // The look-up of the key, at least.
    expect(statements).toBeGreaterThan(0);
  });

  test.skipIf(kind !== 'Postgres').each(everything)(
    '$name, repeated after a conflict with others',
    async (operation) => {
      await failEach(operation, conflicts, ({ failures }, number) => {
        expect({ number, failures }).toEqual({ number, failures: [] });
      });
    },
  );

  const creations = {
    'Mutation.createJobDraft': 'insert into "jobs"',
    'Mutation.createWebhook': 'insert into "webhooks"',
    'Mutation.emitEvent': kind === 'Postgres' ? 'with new_event' : 'insert into "events"',
    'REST WHCREATE': 'insert into "webhooks"',
  };
  test.each(Object.entries(creations))(
    '%s may have been carried out where its commit is lost',
    async (name, statement) => {
      const operation = everything.find((each) => each.name === name);
      for (const ending of endings[kind]) {
        const { workspace, named } = await furnished();
        injected.failCommitAfter(statement, ending);
        const seen = await operation?.ask(served.address)(named, workspace.key);
        injected.stop();
        expect(injected.failed).toBe(1);
        expect(seen).toMatchObject({ failures: [unconfirmed], retryAfter: null });
      }
    },
  );

  test.skipIf(kind !== 'Postgres')('a transaction with endless conflicts is not repeated for ever', async () => {
    const { workspace, named } = await furnished();
    injected.failAt(1, conflicts[0] as Fault, 1_000);
    const emit = ofGraphQL(() => documentOf('Mutation.emitEvent', named))(served.address);
    const { failures, retryAfter } = await emit(named, workspace.key);
    injected.stop();
    expect({ failures, retryAfter }).toEqual({ failures: [unavailable], retryAfter: '5' });
  });
});

describe.each(databases)('in proxy mode, with keys of its own on $name', ({ name, location }) => {
  test('no statement fails in another way', async () => {
    const place = await location();
    const stub = await startStub(healthy);
    const environment = { DATABASE_URL: place.url, UPSTREAM_URL: stub.url, UPSTREAM_API_KEY: 'of the service' };
    const gateway = await startGateway({ environment });
    const workspace = await gateway.workspace();
    const accountId = await workspace.account();
    const injected = injectFaults();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ account_id: accountId, mode: 'FREE' });
    try {
      for (let number = 1; ; number += 1) {
        const key = await workspace.newKey();
        injected.failAt(number, faults[name][number % faults[name].length] as Fault);
        const { status, headers: received } = await fetch(`${gateway.address}/v1/pnet/jobs/7/publish`, {
          method: 'POST',
          headers: { ...headers, 'x-api-key': key, 'idempotency-key': `key ${number}` },
          body,
        });
        const { failed } = injected;
        injected.stop();
        if (failed === 0) break;
        expect({ number, status }).toEqual({ number, status: status === 200 ? 200 : 503 });
        if (status === 503) expect(received.get('retry-after')).toBe('5');
      }
    } finally {
      injected.restore();
      await gateway.close();
      await stub.close();
      await place.drop();
    }
  });
});
