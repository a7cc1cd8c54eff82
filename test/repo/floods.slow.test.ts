/** Every collection whose keys callers choose is filled far past its bound: none has more entries than that at once. */
import { randomBytes } from 'node:crypto';
import { type DocumentNode, Kind, type OperationDefinitionNode, parse } from 'graphql';
import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import { createInbox } from '../../src/app/intake/inbox.ts';
import { memoryRateLimits } from '../../src/auth/memory-rate-limits.ts';
import { createRateLimits } from '../../src/auth/rate-limit.ts';
import { rememberKeys } from '../../src/auth/remembered-keys.ts';
import { createStreams } from '../../src/auth/streams.ts';
import { createMemoryStore } from '../../src/cache/memory-store.ts';
import { createInvalidationBroadcaster } from '../../src/cache/redis-store.ts';
import { deliveryWatch } from '../../src/capabilities/deliveries/watch.ts';
import { sealSecrets } from '../../src/capabilities/webhooks/destinations.ts';
import { newSecret } from '../../src/capabilities/webhooks/signing-secret.ts';
import { ClaimLeases } from '../../src/delivery/claim-leases.ts';
import { createDestinations } from '../../src/delivery/destination.ts';
import { createLanes, laneLimits } from '../../src/delivery/lanes.ts';
import type { ClaimedDelivery } from '../../src/delivery/queue.ts';
import { createCosts, maxCosts } from '../../src/graphql/cost/operation-cost.ts';
import { rememberedDocuments } from '../../src/graphql/documents/known-documents.ts';
import { createPersistedQueries } from '../../src/graphql/documents/persisted-queries.ts';
import { keylessSockets } from '../../src/graphql/doors/websocket-keyless.ts';
import { plansOf } from '../../src/graphql/executors/compiled/plans.ts';
import { Declined } from '../../src/graphql/executors/declined.ts';
import { createStreamTurns } from '../../src/graphql/executors/stream-turns.ts';
import { createCompression } from '../../src/http/compression.ts';
import { RequestBodies } from '../../src/http/request-bodies.ts';
import type { Caller } from '../../src/kernel/caller.ts';
import { Deadline } from '../../src/kernel/lib/abort-signal.ts';
import { afterTimeout } from '../../src/kernel/lib/after.ts';
import { createFairTurns } from '../../src/kernel/lib/fair-turns.ts';
import { createKeyedLock } from '../../src/kernel/lib/keyed-lock.ts';
import { createResolver } from '../../src/net/dns/resolver.ts';
import { createOriginPools, maxIdleOrigins } from '../../src/net/origin-pools.ts';
import { undici } from '../../src/net/undici.ts';
import { openDatabase } from '../../src/store/database.ts';
import { DatabaseFault } from '../../src/store/faults.ts';
import { idempotencyRows } from '../../src/store/idempotency-rows.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { createNotifications, maxChangedIds, type UpdateListener } from '../../src/store/notifications.ts';
import { createReadBudget } from '../../src/store/read-budget.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { createStoredBytes } from '../../src/store/stored-bytes.ts';
import { maxUnread, Watcher } from '../../src/store/watch.ts';
import { createRowWatch } from '../../src/store/watch-feed.ts';
import { createWorkspaceLines } from '../../src/store/workspace-lines.ts';
import { boundedLinesByKey, boundedNames } from '../../src/telemetry/bounds.ts';
import { createCallSlots } from '../../src/upstream/call-slots.ts';
import { createCircuits, maxCircuits } from '../../src/upstream/circuits.ts';
import { createKeyCheck, maxChecked } from '../../src/upstream/key-check.ts';
import { createResilientCall } from '../../src/upstream/resilient-call.ts';
import { createSingleFlight } from '../../src/upstream/single-flight.ts';
import { bounds } from '../support/bounds.ts';
import { requestContext } from '../support/request-context.ts';
import { schema } from '../support/schema.ts';
import { servicePorts } from '../support/service-ports.ts';
import { testVault } from '../support/webhooks.ts';

interface Flood {
  /** In `bounds`. */
  readonly collections: readonly string[];
  /** The most entries that any collection may have at once, give or take the one that makes it too many. */
  readonly most: number;
  /** Less where the bound is no number of entries. */
  readonly least?: number;
  /** Makes the collections, and fills them with as many keys as it takes. */
  readonly fill: () => unknown;
}

const logger = pino({ level: 'silent' });
const untroubled = { failed: () => expect.unreachable(), worked: () => undefined };
const now = () => new Date(0);
const never = new AbortController().signal;

const someone = requestContext('');
const callerOf = (keyId: string): Caller => ({ ...someone.caller, keyId, workspaceId: keyId });
const contextOf = (keyId: string) => ({ ...someone, caller: callerOf(keyId) });

async function times(count: number, each: (n: number) => unknown): Promise<void> {
  for (let n = 0; n < count; n += 1) await each(n);
}

const ignoring = async (work: () => unknown): Promise<void> => {
  try {
    await work();
  } catch {
    // Refused: that is the bound.
  }
};

function operationOf(text: string): readonly [DocumentNode, OperationDefinitionNode] {
  const document = parse(text);
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The document has no operation');
  return [document, operation];
}

const deliveryTo = (webhookId: string): ClaimedDelivery => ({
  deliveryId: webhookId,
  body: Buffer.alloc(1),
  number: 1,
  attempt: 1,
  revision: 0,
  traceparent: null,
  claimToken: 'token',
  destination: {
    webhookId,
    failing: false,
    target: { url: new URL('https://h.example'), headers: [], ownNames: new Set(), sentHeaders: [], secrets: [] },
  },
});

const perMinute = { name: 'r', quota: 10_000, seconds: 60, what: 'requests' } as const;

const floods: Readonly<Record<string, Flood>> = {
  'addresses and keys with a rate limit': {
    collections: ['auth/rate-limit.ts buckets'],
    most: 50_000,
    async fill() {
      const store = { add: async () => new Map<string, number>() };
      const limit = createRateLimits({ store, now, logger }).limit(perMinute);
      await times(120_000, (n) => limit.take(`${n}`));
    },
  },
  'addresses with a rate limit, while the store hangs': {
    collections: ['auth/rate-limit-settlement.ts due'],
    // Those of the buckets that are remembered: fewer are due.
    most: 50_000,
    async fill() {
      const store = { add: () => new Promise<never>(() => undefined) };
      const limit = createRateLimits({ store, now, logger }).limit({ ...perMinute, lazy: true });
      await times(150_000, (n) => limit.take(`${n}`));
    },
  },
  'addresses and keys with a rate limit of several processes': {
    collections: ['auth/memory-rate-limits.ts fullAt'],
    most: 100_000,
    async fill() {
      const store = memoryRateLimits();
      await times(250_000, (n) => store.add(new Map([[`${n}`, 1]]), 1));
    },
  },
  'API keys': {
    collections: ['auth/remembered-keys.ts keys'],
    most: 10_000,
    async fill() {
      const { authenticate } = rememberKeys(async (key = '') => callerOf(key), { now });
      await times(25_000, (n) => authenticate(`${n}`));
    },
  },
  'streams of as many API keys and workspaces': {
    collections: ['auth/streams.ts keys', 'auth/streams.ts workspaces', 'auth/streams.ts streams'],
    most: 50,
    async fill() {
      const limits = { perKey: 10, perWorkspace: 20, perProcess: 50 };
      const streams = createStreams({ limits, now, logger, refusedKeys: null });
      await times(500, (n) => ignoring(() => streams.open(callerOf(`${n}`), never)));
      streams.end();
    },
  },
  'streams that end': {
    collections: ['graphql/executors/stream-turns.ts streams', 'graphql/executors/stream-turns.ts ofKey'],
    most: 1,
    async fill() {
      const turns = createStreamTurns(createFairTurns());
      await times(1_000, (n) => turns.open({ keyId: `${n}`, unread: () => 0 }).end());
    },
  },
  'results for streams': {
    collections: [
      'graphql/executors/stream-turns.ts shared',
      'graphql/executors/stream-turns.ts waiting',
      'graphql/executors/stream-turns.ts executing',
      'kernel/lib/fair-turns.ts waiting',
      'kernel/lib/fair-turns.ts queue',
    ],
    most: 1,
    async fill() {
      const turns = createStreamTurns(createFairTurns());
      const turn = { cost: 1, unread: () => 0, signal: never };
      await times(1_000, (n) =>
        turns.take({ ...turn, keyId: `${n}`, rights: `${n}`, selection: `${n}` }, async () => ({})),
      );
    },
  },
  'accounts that a service tells of': {
    collections: ['app/intake/inbox.ts told'],
    most: 10_000,
    async fill() {
      const database = await openDatabase({ kind: 'sqlite', file: ':memory:' }, migrations);
      await database.insertInto('workspaces').values({ id: 'w', name: 'service', created_at: 0 }).execute();
      const { learn } = createInbox({ database, now, workspaceId: 'w' } as Parameters<typeof createInbox>[0]);
      const ids = Array.from({ length: 500 }, (_, n) => `${n}`);
      await times(30, (n) => learn(ids.map((id) => ({ id: `${n}-${id}` }))));
      await database.destroy();
    },
  },
  'bytes of many workspaces': {
    collections: ['known', 'ofJobs', 'ofToday', 'wanted'].map((name) => `store/stored-bytes.ts ${name}`),
    most: 10_000,
    async fill() {
      const database = await openDatabase({ kind: 'sqlite', file: ':memory:' }, migrations);
      const stored = createStoredBytes({
        database,
        maxBytes: 1,
        now,
        after: afterTimeout,
        trouble: untroubled,
        unread: untroubled,
      });
      await times(11_000, async (n) => {
        await stored.requireRoom(`${n}`);
        stored.add(`${n}`, 1);
        stored.addForGood(`${n}`, 1);
        if (n % 1_000 === 999) await stored.close();
      });
      await stored.close();
      await database.destroy();
    },
  },
  'deliveries and events that are announced': {
    collections: ['store/notifications.ts deliveries', 'store/notifications.ts events'],
    most: maxChangedIds,
    async fill() {
      const database = await openDatabase({ kind: 'sqlite', file: ':memory:' }, migrations);
      const channels = { send: async () => undefined, subscribe() {}, close: async () => undefined };
      const { transaction } = createNotifications(database, channels, () => () => undefined);
      await times(3, (n) =>
        transaction(async (_, changed) => {
          const ids = Array.from({ length: maxChangedIds }, (_, place) => `${n}-${place}`);
          changed.deliveries(ids);
          for (const id of ids) changed.event(id);
        }),
      );
      await database.destroy();
    },
  },
  'deliveries that change': {
    collections: ['store/watch-feed.ts changed'],
    most: maxChangedIds,
    async fill() {
      const database = await openDatabase({ kind: 'sqlite', file: ':memory:' });
      let tell: (ids: readonly string[]) => void = () => undefined;
      const notifications = {
        listen({ onUpdated }: UpdateListener) {
          tell = onUpdated;
          return () => undefined;
        },
      };
      const ends = new AbortController();
      const { watch } = deliveryWatch({ database, notifications, now });
      const changes = await watch({ ...requestContext('w'), signal: ends.signal }, {});
      const first = changes[Symbol.asyncIterator]().next();
      tell(Array.from({ length: 3 * maxChangedIds }, (_, n) => `${n}`));
      ends.abort();
      await first;
      await database.destroy();
    },
  },
  'unread changes of a stream': {
    collections: ['store/watch.ts #unread'],
    most: maxUnread,
    fill() {
      const watcher = new Watcher<null, number>(null);
      return times(3 * maxUnread, (n) => watcher.post(`${n}`, n));
    },
  },
  'rows that are watched no more': {
    collections: ['store/watch-feed.ts watchers'],
    most: 1,
    async fill() {
      const { watch } = createRowWatch<object>({ versionOf: () => '', read: async () => [] });
      await times(500, async (n) => {
        const ends = new AbortController();
        const changes = (await watch([`${n}`], ends.signal, (row) => row)).next();
        ends.abort();
        await changes;
      });
    },
  },
  webhooks: {
    collections: ['delivery/destination.ts kept'],
    most: 2_000,
    fill() {
      const open = createDestinations(testVault);
      return times(5_000, (n) => {
        const id = `${n}`;
        const secrets = sealSecrets(testVault, id, [newSecret(randomBytes)]);
        const webhook = { id, request_url: 'https://hooks.example', format: 'json', headers: '[]' };
        open({ ...webhook, webhook_id: id, secrets, failing_since: null });
      });
    },
  },
  'webhooks that something was sent to': {
    collections: [
      'delivery/byte-budget.ts byDestination',
      'delivery/claim-leases.ts #leases',
      'delivery/in-flight.ts probes',
      'delivery/in-flight.ts taken',
      'delivery/lanes.ts lanes',
      'delivery/lanes.ts queued',
      'delivery/lanes.ts rotation',
    ],
    most: 10_000,
    fill() {
      const lanes = createLanes(laneLimits, () => 0);
      const leases = new ClaimLeases(() => 0);
      return times(25_000, (n) => {
        const delivery = deliveryTo(`${n}`);
        leases.begin(delivery, 1);
        lanes.add(delivery);
        const taken = lanes.take();
        if (taken === null) throw new Error('The delivery has no slot');
        lanes.begin(taken);
        lanes.release(taken, 'success');
        leases.end([taken]);
      });
    },
  },
  'hosts of webhooks that are looked up': {
    collections: ['net/dns/resolver.ts known', 'net/dns/resolver.ts underWay'],
    most: 10_000,
    async fill() {
      const query = async () => ({ addresses: [], ttlMs: 60_000 });
      const resolve = createResolver({ servers: ['192.0.2.1'], query, clock: () => 0 });
      await times(25_000, (n) => ignoring(() => resolve(`h${n}.example.`)));
    },
  },
  'hosts of webhooks that are connected': {
    collections: ['net/origin-pools.ts idle', 'net/origin-pools.ts used'],
    most: maxIdleOrigins,
    async fill() {
      const pools = createOriginPools((origin) => new undici.Pool(origin));
      await times(3 * maxIdleOrigins, (n) => {
        const { pool, release } = pools.take(`http://h${n}.example`);
        Object.defineProperty(pool, 'stats', { value: { connected: 1 } });
        release();
      });
      await pools.destroy();
    },
  },
  documents: {
    collections: ['graphql/documents/known-documents.ts known'],
    least: 10,
    most: 500,
    fill() {
      const documentOf = rememberedDocuments({ schema, introspection: false, compiling: null }, { maxTokens: 500 });
      return times(5_000, (n) => documentOf(`{ a${n}: __typename }`));
    },
  },
  'names of operations that a document lacks': {
    collections: ['graphql/documents/known-documents.ts #operations'],
    most: 2,
    fill() {
      const documentOf = rememberedDocuments({ schema, introspection: false, compiling: null });
      const document = documentOf('query A { __typename } query B { __typename }');
      return times(5_000, (n) => document.find(`${n}`));
    },
  },
  'values of variables, by their cost': {
    collections: ['graphql/cost/operation-cost.ts weighed'],
    most: maxCosts,
    fill() {
      const [document, operation] = operationOf('query ($first: Int) { accounts(first: $first) { nodes { id } } }');
      const costOf = createCosts(schema, document, operation);
      return times(1_000, (n) => costOf({ first: n % 250 }));
    },
  },
  'values of variables, by what they select': {
    collections: ['graphql/executors/compiled/plans.ts plans'],
    // Compiling takes some at a time.
    least: 16,
    most: 100,
    async fill() {
      const names = Array.from({ length: 10 }, (_, at) => `v${at}`);
      const fields = names.map((name) => `${name}: text @include(if: $${name})`).join(' ');
      const [document, operation] = operationOf(
        `query (${names.map((name) => `$${name}: Boolean!`).join(' ')}) {
          posts(accountId: "a", identifier: "b", first: 1) { nodes { ... on PnetPost { ${fields} } } } }`,
      );
      const plans = plansOf(schema, servicePorts, document, operation);
      if (plans instanceof Declined) throw plans;
      await times(1_024, (n) =>
        plans.planFor(Object.fromEntries(names.map((name, at) => [name, (n >> at) % 2 === 1]))),
      );
    },
  },
  'persisted documents': {
    collections: ['graphql/documents/persisted-queries.ts documents'],
    most: 100,
    fill() {
      const documents = createPersistedQueries({ limit: 10_000 });
      return times(1_000, (n) => documents.add(`${n}`, 'x'.repeat(100)));
    },
  },
  'accept headers': {
    collections: ['graphql/doors/accepted.ts known'],
    most: 100,
    async fill() {
      vi.resetModules();
      const { jsonTypeFor } = await import('../../src/graphql/doors/accepted.ts');
      await times(1_000, (n) => jsonTypeFor(`application/json;v=${n}`));
    },
  },
  'accept-encoding headers': {
    collections: ['http/compression.ts known'],
    most: 100,
    fill() {
      const compress = createCompression();
      const request = { method: 'GET', facts: {}, varyBy: () => undefined };
      return times(1_000, (n) =>
        compress({ ...request, headers: { 'accept-encoding': `x${n}` } }, Buffer.alloc(4_096)),
      );
    },
  },
  'addresses of WebSockets that are closed': {
    collections: ['graphql/doors/websocket-keyless.ts beginning', 'graphql/doors/websocket-keyless.ts keyless'],
    most: 1,
    fill() {
      const sockets = keylessSockets();
      return times(1_000, (n) => {
        const ends = new AbortController();
        sockets.begin(`192.0.${n >> 8}.${n % 256}`, ends.signal);
        sockets.stay(`192.0.${n >> 8}.${n % 256}`, ends.signal, () => undefined);
        ends.abort();
      });
    },
  },
  'addresses with large bodies at once': {
    collections: ['http/request-bodies.ts #bytesOf', 'http/request-bodies.ts #clients'],
    most: 100,
    fill() {
      const bodies = new RequestBodies({ bytes: 100 * 11, small: 10 });
      return times(1_000, (n) =>
        bodies.open({ ip: `192.0.${n >> 8}.${n % 256}` }, () => undefined).append(Buffer.alloc(11)),
      );
    },
  },
  'addresses whose large bodies have gone': {
    collections: [],
    most: 1,
    fill() {
      const bodies = new RequestBodies({ bytes: 1_000, small: 10 });
      return times(1_000, (n) => {
        const body = bodies.open({ ip: `192.0.${n >> 8}.${n % 256}` }, () => undefined);
        // Too much for all, and given back: refused, parsed, and broken off.
        body.append(Buffer.alloc(n % 3 === 0 ? 1_001 : 11));
        if (n % 3 === 1) body.take();
        body.release();
      });
    },
  },
  'cached responses': {
    collections: ['cache/memory-store.ts entries'],
    most: 100,
    fill() {
      const store = createMemoryStore({ maxBytes: 100 * (512 + 1) }, () => 0);
      return times(1_000, (n) =>
        store.set({ tenant: 't', key: `${n}`, generation: '0', body: 'x', lifetimeMs: 1_000 }),
      );
    },
  },
  'workspaces whose cached responses end': {
    collections: ['cache/memory-store.ts lastInvalidations'],
    most: 10_000,
    fill() {
      const store = createMemoryStore({ maxBytes: 1_000 }, () => 0);
      return times(25_000, (n) => store.invalidate(`${n}`));
    },
  },
  'workspaces whose changes are told': {
    collections: ['cache/redis-store.ts pending'],
    most: 1,
    fill() {
      const { broadcast } = createInvalidationBroadcaster(
        async () => undefined,
        () => undefined,
      );
      return times(1_000, (n) => broadcast(`${n}`));
    },
  },
  'workspaces whose commands meet a locked row': {
    collections: ['store/workspace-lines.ts stuck'],
    most: 1_000,
    fill() {
      const inLine = createWorkspaceLines(1, 1_000);
      const locked = () => Promise.reject(new DatabaseFault('slow', new Error('locked')));
      return times(2_500, (n) => inLine({ workspaceId: `${n}` }, locked).catch(() => undefined));
    },
  },
  'API keys with idempotency keys': {
    collections: ['store/idempotency-rows.ts counts'],
    most: 1_000,
    async fill() {
      const database = await openDatabase({ kind: 'sqlite', file: ':memory:' });
      const rows = idempotencyRows(database, 10);
      await times(2_500, (n) => rows.requireRoom(`${n}`.padStart(16, '0'), 1));
      await database.destroy();
    },
  },
  'locks that are free again': {
    collections: ['kernel/lib/keyed-lock.ts lines'],
    most: 1,
    async fill() {
      const lock = createKeyedLock(10);
      await times(1_000, async (n) => (await lock.acquire(`${n}`))());
    },
  },
  'reads that have ended': {
    collections: ['store/read-budget.ts ofWorkspace', 'store/read-budget.ts waiting'],
    most: 1,
    async fill() {
      const budget = createReadBudget();
      await times(1_000, async (n) => (await budget.take(contextOf(`${n}`), 1_000_000))());
    },
  },
  statements: {
    collections: ['store/sqlite.ts prepared'],
    most: 200,
    async fill() {
      const database = openSqlite(':memory:');
      await times(1_000, (n) => database.prepare(`select ${n}`));
      database.close();
    },
  },
  'webhooks with a line in the log': {
    collections: ['telemetry/bounds.ts ofKeys'],
    most: 1_000,
    fill() {
      const mayLog = boundedLinesByKey(60, () => 0);
      return times(5_000, (n) => mayLog(`${n}`));
    },
  },
  'operations with a series': {
    collections: ['telemetry/bounds.ts known'],
    most: 100,
    fill() {
      const nameOf = boundedNames(100);
      return times(1_000, (n) => nameOf(`${n}`));
    },
  },
  'calls to a service that have ended': {
    collections: ['upstream/single-flight.ts flights', 'upstream/single-flight.ts flightsByOwner'],
    most: 1,
    async fill() {
      const times_ = { lastsMs: 1_000, joinableMs: 1_000, message: 'late' };
      const flight = createSingleFlight(times_, () => 0);
      const shared = { retain: () => undefined, release: () => undefined };
      await times(1_000, (n) => flight.run(`${n}`, `${n}`, async () => shared, never));
    },
  },
  'calls that wait for a service': {
    collections: ['upstream/call-slots.ts queues', 'upstream/call-slots.ts waiting'],
    // Those of four callers, 32 for each of two slots, and who has the slots.
    most: 4 * 64 + 2,
    async fill() {
      const slots = createCallSlots(2);
      const ends = new AbortController();
      const waiting: Promise<unknown>[] = [];
      await times(2_000, (n) => slots.tryTake(`${n}`) ?? waiting.push(slots.wait(`${n}`, ends.signal)));
      ends.abort();
      await Promise.all(waiting);
    },
  },
  'circuits of keys and accounts': {
    collections: ['upstream/circuits.ts breakers', 'upstream/circuits.ts inFlight'],
    most: maxCircuits,
    fill() {
      const circuits = createCircuits(() => 0);
      return times(3 * maxCircuits, (n) =>
        circuits.tryAcquire({ keyId: 'key', accountId: `${n}`, capability: 'posts', target: '/' }),
      );
    },
  },
  'keys that a service is asked about': {
    collections: ['upstream/key-check.ts refusals'],
    most: maxChecked,
    fill() {
      const check = createKeyCheck(async () => undefined);
      return times(25_000, (n) => check(contextOf(`${n}`)));
    },
  },
  'keys with repetitions': {
    collections: ['upstream/resilient-call.ts retryBudgets'],
    most: 10_000,
    async fill() {
      const send = () => Promise.reject(new Error('away'));
      const clock = { now, clock: () => 0, random: () => 0 };
      const call = createResilientCall({ send, connections: 1, logger, ...clock });
      const prepared = { repeatable: false } as Parameters<typeof call>[0];
      await times(25_000, (n) => {
        const origin = { keyId: `${n}`, accountId: null, capability: 'posts', target: '/' } as const;
        return ignoring(() => call({ ...prepared, origin }, new Deadline(1, null, ''), 1));
      });
    },
  },
};

/** Why no flood here: what bounds them is filled above, or a suite of their own fills them. */
const elsewhere: Readonly<Record<string, string>> = {
  'capabilities/webhooks/removal.ts lastOf': 'a webhook whose deliveries are being deleted',
  'delivery/emit.ts own': 'a request, or a step of the engine',
  'delivery/emit.ts waiting': 'a request, or a step of the engine',
  'delivery/outcome-buffer.ts apart': 'an outcome of a delivery with a lease',
  'delivery/outcome-buffer.ts delays': 'an outcome of a delivery with a lease',
  'delivery/outcome-buffer.ts parts': 'an outcome of a delivery with a lease',
  'delivery/outcome-buffer.ts waiting': 'an outcome of a delivery with a lease',
  'delivery/worker.ts #probes': 'a delivery with a lease',
  'graphql/doors/yoga.ts open': 'a stream',
  'graphql/doors/websocket.ts #operations': 'test/graphql/websocket.slow.test.ts',
  'graphql/doors/websocket.ts unread': 'test/graphql/websocket-refusals.test.ts',
  'http/connections.ts waiting': 'a connection with a request',
  'kernel/lib/pacer.ts waiting': 'a stream, or a delivery with a lease',
  'net/body-memory.ts slabs': 'a call with a slot',
  'store/short-reads.ts compiled': 'test/store/short-reads.test.ts',
  'store/watch.ts #preceding': 'test/deliveries/account-events.test.ts',
  'store/statement-names.ts #names': 'test/store/prepared.test.ts',
  'store/statement-names.ts #uses': 'test/store/prepared.test.ts',
  'net/proxies.ts pool': 'a delivery with a lease, or a call with a slot',
  'store/thread.ts arrived': 'a statement of a request',
  'store/thread.ts inFlight': 'a statement of a request',
};

/** The most entries that a map or a set had at once, of those that are made meanwhile; LRU caches have a map. */
async function mostEntries(work: () => unknown): Promise<number> {
  let most = 0;
  const { Map: OwnMap, Set: OwnSet } = globalThis;
  const counted = (size: number) => {
    most = Math.max(most, size);
  };
  globalThis.Map = class<Key, Value> extends OwnMap<Key, Value> {
    override set(key: Key, value: Value): this {
      super.set(key, value);
      counted(this.size);
      return this;
    }
  };
  globalThis.Set = class<Value> extends OwnSet<Value> {
    override add(value: Value): this {
      super.add(value);
      counted(this.size);
      return this;
    }
  };
  try {
    await work();
  } finally {
    Object.assign(globalThis, { Map: OwnMap, Set: OwnSet });
  }
  return most;
}

test.each(Object.entries(floods))('%s', { timeout: 60_000 }, async (_, { most, least = most, fill }) => {
  const entries = await mostEntries(fill);
  expect(entries).toBeGreaterThanOrEqual(least);
  expect(entries).toBeLessThanOrEqual(most + 1);
});

test('a collection without a bound is found', async () => {
  expect(await mostEntries(() => times(1_000, (n) => kept.map.set(n, n)))).toBe(0);
  const fill = () => {
    const keys = new Set<number>();
    return times(1_000, (n) => keys.add(n));
  };
  expect(await mostEntries(fill)).toBe(1_000);
});
const kept = { map: new Map<number, number>() };

describe('the table', () => {
  /** Ends with what made it, or is not for callers to choose. */
  const isShort = /^(?:the call|the request|the response|nothing is added)$/;
  const notChosen = /^(?:the code|the operator|the package of GraphiQL|nobody|processes|connections|a process)$/;

  test('has every collection with keys that callers choose', () => {
    const chosen = Object.entries(bounds).flatMap(([name, [keys, bound]]) =>
      isShort.test(bound) || notChosen.test(keys) ? [] : name,
    );
    const filled = Object.values(floods).flatMap(({ collections }) => collections);
    expect([...filled, ...Object.keys(elsewhere)].sort()).toEqual(chosen.sort());
  });
});
