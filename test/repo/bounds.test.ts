/**
 * The bound of every collection that starts empty and may outlive the call that made it. Left out: what is made from
 * data, weak ones, which hold nothing, and src/graphql/.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCircuits, maxCircuits } from '../../src/upstream/circuits.ts';

/** Who chooses the keys, and what bounds their number. */
const bounds: Readonly<Record<string, readonly [keys: string, bound: string]>> = {
  'auth/rate-limit-settlement.ts due': [
    'callers and addresses',
    'the buckets that are remembered, until the next settlement',
  ],
  'auth/rate-limit.ts buckets': ['callers and addresses', 'max'],
  'auth/remembered-keys.ts keys': ['valid API keys', 'max'],
  'auth/streams.ts countOfKey': ['API keys with open streams', 'streams of a process'],
  'auth/streams.ts streams': ['callers', 'streams of a process'],
  'bounded-map.ts #entries': ['its user', 'its size'],
  'deliveries/statistics.ts countsAt': ['hours of a webhook', 'the call'],
  'deliveries/statistics.ts countsOf': ['webhooks of a page', 'the call'],
  'deliveries/watch-mailbox.ts unread': ['deliveries', 'the mailbox of a stream'],
  'deliveries/watch.ts changed': ['deliveries', 'maxChangedIds'],
  'deliveries/watch.ts values': ['filters of streams', 'maxValues'],
  'deliveries/watch.ts watchers': ['workspaces with open streams', 'streams of a process'],
  'delivery/byte-budget.ts byDestination': ['webhooks', 'deliveries in flight'],
  'delivery/destination.ts kept': ['webhooks', 'max'],
  'delivery/lanes.ts lanes': ['webhooks', 'deliveries that a process has claimed'],
  'delivery/lanes.ts recent': ['deliveries', 'deliveries that a process has claimed'],
  'delivery/lanes.ts rotation': ['webhooks', 'lanes'],
  'delivery/payload.ts sizes': ['keys of a payload', 'the call'],
  'delivery/settle.ts last': ['webhooks of a batch', 'the call'],
  'delivery/statistics.ts counts': ['webhooks of a batch', 'the call'],
  'delivery/worker.ts leases': ['deliveries', 'deliveries that a process has claimed'],
  'dns/hosts-file.ts hosts': ['the operator', 'the hosts file'],
  'dns/resolver.ts known': ['hosts of webhooks', 'max'],
  'dns/resolver.ts underWay': ['hosts of webhooks', 'deliveries in flight'],
  'http/compression.ts known': ['accept-encoding headers', 'max'],
  'http/router.ts resources': ['the code', 'the routes'],
  'http/server.ts unused': ['connections', 'open connections'],
  'http/slow-clients.ts waiting': ['responses', 'responses in flight'],
  'http/static-files.ts encodings': ['the code', 'the encodings that it offers'],
  'paging.ts longest': ['pages of a walk', 'the call'],
  'posts/graphql/post-types.ts networks': ['the code', 'the networks that register'],
  'response-cache/invalidation-broadcaster.ts pending': ['workspaces', 'changes that are being told'],
  'response-cache/memory-store.ts entries': ['callers', 'maxSize, in bytes'],
  'response-cache/memory-store.ts lastInvalidations': ['workspaces', 'max'],
  'rest/contract-fields.ts variants': ['the code', 'the contract'],
  'security/origin-pools.ts idle': ['hosts of webhooks', 'max'],
  'security/origin-pools.ts used': ['hosts of webhooks', 'requests in flight'],
  'security/service-pool.ts pool': ['the operator', 'one origin'],
  'store/channels.ts listeners': ['the code', 'the channels of a process'],
  'store/idempotency-rows.ts counts': ['API keys', 'max'],
  'store/keyed-lock.ts lines': ['locks that requests ask for', 'requests in flight'],
  'store/large-rows.ts found': ['ids of a read', 'the call'],
  'store/read-budget.ts ofWorkspace': ['workspaces', 'reads that hold bytes'],
  'store/read-budget.ts waiting': ['requests', 'requests in flight, for waitMs'],
  'store/notifications.ts subscribers': ['the code', 'the watches of a process'],
  'store/notifications.ts workers': ['the code', 'the workers of a process'],
  'store/observed.ts pools': ['the code', 'the pools of a process'],
  'store/postgres.ts #listeners': ['connections', 'the pool'],
  'store/postgres.ts #open': ['connections', 'the pool'],
  'store/postgres.ts #used': ['connections', 'the pool'],
  'store/presence.ts missing': ['processes', 'processes that hold claims'],
  'store/row-watch.ts joined': ['rows', 'open streams, since the last read'],
  'store/row-watch.ts watchersOf': ['rows', 'open streams'],
  'store/sqlite.ts prepared': ['statements', 'max'],
  'store/thread.ts inFlight': ['statements', 'requests in flight'],
  'store/write-lock.ts locks': ['the operator', 'the files of a process'],
  'telemetry/bounded-names.ts known': ['operations of clients', 'most'],
  'telemetry/opentelemetry/meters.ts counters': ['the code', 'the table of series'],
  'telemetry/opentelemetry/meters.ts gauges': ['the code', 'the table of series'],
  'telemetry/opentelemetry/meters.ts histograms': ['the code', 'the table of series'],
  'upstream/call-slots.ts lines': ['API keys', 'calls in flight or waiting, which are bounded'],
  'upstream/circuits.ts breakers': ['API keys and accounts', 'max'],
  'upstream/hand-over.ts parameters': ['the code', 'endpoints'],
  'upstream/key-check.ts refusals': ['API keys', 'max'],
  'upstream/resilient-call.ts retryBudgets': ['API keys', 'max'],
  'upstream/single-flight.ts flightsByOwner': ['API keys', 'reads in flight'],
  'upstream/translation.ts translations': ['the code', 'endpoints'],
};

const src = join(import.meta.dirname, '../../src');
const pattern =
  /^ {0,2}(?:const |let |readonly )?(#?\w+)(?:: [^=\n]+)? = new (?:(?:Map|Set)(?:<.*>)?\(\)|(?:LRUCache|BoundedMap|Agent|Pool|RetryAgent)\b)/gm;

const collectionsIn = (file: string, source: string): string[] =>
  [...source.matchAll(pattern)].map(([, name]) => `${file} ${name}`);

test('every collection has a bound, and every bound is of a collection', () => {
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('graphql/'))
    .flatMap((file) => collectionsIn(file, readFileSync(join(src, file), 'utf8')));
  expect([...new Set(found)].sort()).toEqual(Object.keys(bounds).sort());
});

test('a collection is found wherever it may live long', () => {
  const source = [
    'const a = new Map<string, Map<string, number>>();',
    '  const b = new Set();',
    '  readonly #c = new Map<string, () => void>();',
    '  const d = new LRUCache<string, number>({ max: 1 });',
    '  const e = new Agent({});',
    '    const local = new Map();',
    'const table = new Set([1]);',
  ].join('\n');
  expect(collectionsIn('x', source)).toEqual(['x a', 'x b', 'x #c', 'x d', 'x e']);
});

test('circuits of keys and accounts that callers choose are forgotten', () => {
  const circuits = createCircuits(() => 0);
  const origin = (n: number) => ({ keyId: 'key', accountId: `${n}`, capability: 'posts', target: '/' });
  for (let n = 0; n <= 2 * maxCircuits; n += 1) {
    for (let failure = 0; failure < 20; failure += 1) {
      const permit = circuits.tryAcquire(origin(n));
      if ('record' in permit) permit.record('failure');
    }
  }
  expect(circuits.open).toBe(maxCircuits);
});
