/**
 * The bound of every collection that starts empty and may outlive the call that made it, of what is put into others, and of
 * arrays that are queues. Left out: what is made from data, and weak ones, which hold nothing.
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
  'app/config/typos.ts beforeLast': ['the operator', 'the call'],
  'capabilities/deliveries/statistics.ts countsAt': ['hours of a webhook', 'the call'],
  'capabilities/deliveries/statistics.ts countsOf': ['webhooks of a page', 'the call'],
  'capabilities/deliveries/statistics.ts ofWebhook': ['hours of a webhook', 'the call'],
  'capabilities/deliveries/watch-mailbox.ts unread': ['deliveries', 'the mailbox of a stream'],
  'capabilities/deliveries/watch.ts changed': ['deliveries', 'maxChangedIds'],
  'capabilities/deliveries/watch.ts values': ['filters of streams', 'maxValues'],
  'capabilities/deliveries/watch.ts watchers': ['workspaces with open streams', 'streams of a process'],
  'delivery/byte-budget.ts byDestination': ['webhooks', 'deliveries in flight'],
  'delivery/destination.ts kept': ['webhooks', 'max'],
  'delivery/lanes.ts lanes': ['webhooks', 'deliveries that a process has claimed'],
  'delivery/lanes.ts queued': ['deliveries', 'deliveries that a process has claimed'],
  'delivery/lanes.ts recent': ['deliveries', 'deliveries that a process has claimed'],
  'delivery/lanes.ts rotation': ['webhooks', 'lanes'],
  'delivery/outcome-buffer.ts suspects': ['deliveries', 'deliveries that a process has claimed'],
  'delivery/outcome-buffer.ts waiting': ['deliveries', 'deliveries that a process has claimed'],
  'delivery/payload.ts sizes': ['keys of a payload', 'the call'],
  'delivery/queue-transaction.ts settled': ['nobody', 'nothing is added'],
  'delivery/settle.ts last': ['webhooks of a batch', 'the call'],
  'capabilities/deliveries/attempt-counts.ts counts': ['webhooks of a batch', 'the call'],
  'delivery/worker.ts leases': ['deliveries', 'deliveries that a process has claimed'],
  'delivery/worker.ts releases': ['deliveries', 'deliveries that a process has claimed'],
  'delivery/worker.ts withdrawn': ['webhooks', 'commands during a flush'],
  'net/dns/hosts-file.ts hosts': ['the operator', 'the hosts file'],
  'net/dns/resolver-settings.ts search': ['the operator', 'the call'],
  'net/dns/resolver.ts known': ['hosts of webhooks', 'max'],
  'net/dns/resolver.ts underWay': ['hosts of webhooks', 'deliveries in flight'],
  'graphql/kit/connection.ts sealed': ['items of a page', 'the response'],
  'graphql/cost/arguments.ts none': ['nobody', 'nothing is added'],
  'graphql/cost/operation-cost.ts costs': ['fields of an operation', 'the call'],
  'graphql/cost/operation-cost.ts known': ['fields of an operation', 'the call'],
  'graphql/cost/selections.ts fields': ['fields of an operation', 'the call'],
  'graphql/cost/selections.ts fragments': ['fragments of a document', 'the call'],
  'graphql/cost/selections.ts seen': ['fragments of a document', 'the call'],
  'graphql/cost/shape.ts aliased': ['fields of an operation', 'the call'],
  'graphql/cost/shape.ts heights': ['fields of an operation', 'the call'],
  'graphql/cost/sizes.ts fields': ['the code', 'the fields of the schema'],
  'graphql/documents/costs.ts known': ['variables of an operation', 'max'],
  'graphql/documents/document-manifest.ts documents': ['the operator', 'the manifest'],
  'graphql/documents/documents.ts known': ['callers', 'maxSize, in tokens'],
  'graphql/documents/known-operation.ts #operations': [
    'names that choose an operation',
    'the operations of a document',
  ],
  'graphql/documents/persisted-queries.ts documents': ['callers', 'maxSize, in characters'],
  'graphql/documents/trusted-documents.ts byHash': ['the operator', 'the manifest'],
  'graphql/documents/trusted-documents.ts parsed': ['the operator', 'the manifest'],
  'graphql/doors/media-type.ts known': ['accept headers', 'max'],
  'graphql/exchange.ts reads': ['selected lists', 'the request'],
  'graphql/executors/compiled/operation.ts prefixes': ['the code', 'the kinds of ids'],
  'graphql/executors/compiled/operation.ts sources': ['the code', 'the lists of a service'],
  'graphql/executors/compiled/plans.ts inDirectives': ['variables of an operation', 'the call'],
  'graphql/executors/compiled/plans.ts plans': ['variables of an operation', 'max'],
  'graphql/executors/compiled/run.ts readings': ['fields of an operation', 'the call'],
  'graphql/executors/introspection.ts inner': ['fields of an operation', 'the call'],
  'graphql/executors/introspection.ts open': ['fragments of a document', 'the call'],
  'graphql/executors/introspection.ts tree': ['fields of an operation', 'the call'],
  'graphql/executors/introspection.ts used': ['fragments of a document', 'the call'],
  'graphql/executors/stream-turns.ts ofKey': ['streams of an API key', 'streams of a process'],
  'graphql/executors/stream-turns.ts queue': ['streams of an API key', 'streams of a process'],
  'graphql/executors/stream-turns.ts shared': ['selections of streams', 'streams that wait'],
  'graphql/executors/stream-turns.ts streams': ['API keys with open streams', 'streams of a process'],
  'graphql/executors/stream-turns.ts waiting': ['API keys with open streams', 'streams of a process'],
  'graphql/failure-log.ts #kinds': ['failures of a response', 'the response'],
  'capabilities/loaders.ts found': ['webhooks of a page', 'the call'],
  'graphql/kit/max-age.ts before': ['fields of an operation', 'the call'],
  'graphql/kit/max-age.ts counted': ['fields of an operation', 'the call'],
  'graphql/kit/node.ts nodeKinds': ['the code', 'the kinds of ids'],
  'http/compression.ts known': ['accept-encoding headers', 'max'],
  'http/router.ts resources': ['the code', 'the routes'],
  'http/server.ts unused': ['connections', 'open connections'],
  'http/slow-clients.ts waiting': ['responses', 'responses in flight'],
  'http/static-files.ts encodings': ['the code', 'the encodings that it offers'],
  'kernel/lib/pacer.ts waiting': ['what waits for a turn', 'requests and deliveries in flight'],
  'kernel/paging.ts longest': ['pages of a walk', 'the call'],
  'capabilities/posts/graphql/nodes.ts authors': ['nodes of a request', 'the request'],
  'capabilities/posts/graphql/nodes.ts pages': ['nodes of a request', 'the request'],
  'capabilities/posts/graphql/post-types.ts networks': ['the code', 'the networks that register'],
  'cache/invalidation-broadcaster.ts pending': ['workspaces', 'changes that are being told'],
  'cache/memory-store.ts entries': ['callers', 'maxSize, in bytes'],
  'cache/memory-store.ts lastInvalidations': ['workspaces', 'max'],
  'rest/contract-fields.ts variants': ['the code', 'the contract'],
  'net/origin-pools.ts idle': ['hosts of webhooks', 'max'],
  'net/origin-pools.ts used': ['hosts of webhooks', 'requests in flight'],
  'net/service-pool.ts pool': ['the operator', 'one origin'],
  'splice/template.ts open': ['the code', 'the call'],
  'store/channels.ts listeners': ['the code', 'the channels of a process'],
  'store/idempotency-rows.ts counts': ['API keys', 'max'],
  'store/keyed-lock.ts lines': ['locks that requests ask for', 'requests in flight'],
  'store/keyset-pages.ts some': ['items of a page', 'the call'],
  'store/large-rows.ts found': ['ids of a read', 'the call'],
  'store/large-rows.ts part': ['ids of a read', 'the call'],
  'store/notifications.ts subscribers': ['the code', 'the watches of a process'],
  'store/notifications.ts withdrawals': ['the code', 'one worker'],
  'store/notifications.ts workers': ['the code', 'the workers of a process'],
  'store/observed.ts pools': ['the code', 'the pools of a process'],
  'store/postgres.ts #listeners': ['connections', 'the pool'],
  'store/postgres.ts #open': ['connections', 'the pool'],
  'store/postgres.ts #used': ['connections', 'the pool'],
  'store/postgres.ts #names': ['statements', 'maxPrepared'],
  'store/presence.ts missing': ['processes', 'processes that hold claims'],
  'store/read-budget.ts ofWorkspace': ['workspaces', 'reads that hold bytes'],
  'store/read-budget.ts waiting': ['requests', 'requests in flight, for waitMs'],
  'store/row-watch.ts joined': ['rows', 'open streams, since the last read'],
  'store/row-watch.ts unread': ['rows', 'the rows that a stream watches'],
  'store/row-watch.ts watchersOf': ['rows', 'open streams'],
  'store/sqlite.ts prepared': ['statements', 'max'],
  'store/thread.ts inFlight': ['statements', 'requests in flight'],
  'store/write-lock.ts locks': ['the operator', 'the files of a process'],
  'telemetry/bounded-lines.ts ofKeys': ['webhooks', 'max'],
  'telemetry/bounded-names.ts known': ['operations of clients', 'most'],
  'telemetry/opentelemetry/meters.ts counters': ['the code', 'the table of series'],
  'telemetry/opentelemetry/meters.ts gauges': ['the code', 'the table of series'],
  'telemetry/opentelemetry/meters.ts histograms': ['the code', 'the table of series'],
  'upstream/call-slots.ts lines': ['API keys', 'calls in flight or waiting, which are bounded'],
  'upstream/call-slots.ts waiting': ['calls of an API key', 'calls that wait, which are bounded'],
  'upstream/circuit-breaker.ts inFlight': ['trials', 'calls in flight'],
  'upstream/circuits.ts breakers': ['API keys and accounts', 'max'],
  'upstream/hand-over.ts parameters': ['the code', 'endpoints'],
  'upstream/key-check.ts refusals': ['API keys', 'max'],
  'upstream/resilient-call.ts retryBudgets': ['API keys', 'max'],
  'upstream/single-flight.ts flights': ['reads of an API key', 'reads in flight'],
  'upstream/single-flight.ts flightsByOwner': ['API keys', 'reads in flight'],
  'upstream/translation.ts translations': ['the code', 'endpoints'],
};

const src = join(import.meta.dirname, '../../src');
const made = String.raw`new (?:(?:Map|Set)(?:<.*>)?\(\)|(?:LRUCache|Agent|Client|Pool|RetryAgent)\b)`;
const patterns = [
  // What a module, a closure or an object keeps; a function's own stand deeper.
  String.raw`^ {0,2}(?:const |let |readonly )?(#?\w+)(?:: [^=\n]+)? =(?: [^\n]* \?)?\s+${made}`,
  // What is put into another collection, or made when it is first needed.
  String.raw`^ *(?:const |let )?(\w+) (?:\?\?=|= [^\n]* \?\?) ${made}`,
  String.raw`(?:^ *|[{,] )(\w+): ${made}`,
  String.raw`^ *this\.(#\w+) = (?:[^\n]* \? )?${made}`,
  // Queues.
  String.raw`\b(\w+)\.(?:shift\(\)|splice\(0\b)`,
  String.raw`^ {0,2}let (\w+): [^=\n]*\[\] = \[\]`,
].map((source) => new RegExp(source, 'gm'));

const collectionsIn = (file: string, source: string): string[] =>
  patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, name]) => `${file} ${name}`));

test('every collection has a bound, and every bound is of a collection', () => {
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => collectionsIn(file, readFileSync(join(src, file), 'utf8')));
  expect([...new Set(found)].sort()).toEqual(Object.keys(bounds).sort());
});

test('a collection is found wherever it may live long', () => {
  const source = [
    'const a = new Map<string, Map<string, number>>();',
    '  const b = new Set();',
    '  readonly #c = new Map<string, () => void>();',
    '  const d = new LRUCache<string, number>({ max: 1 });',
    '  const e: ReadonlyMap<string, number> =',
    '    new Map();',
    '  const f = one ? new Map() : null;',
    '    const g = outer.get(key) ?? new Set<string>();',
    '    h ??= new LRUCache({ max: 1 });',
    '    outer.set(key, { i: new Set() });',
    '    const j = k.shift();',
    '    this.#m = new Set();',
    '  let l: string[] = [];',
    'const table = new Set([1]);',
  ].join('\n');
  const names = ['a', 'b', '#c', 'd', 'e', 'f', 'g', 'h', 'i', 'k', 'l', '#m'];
  expect(new Set(collectionsIn('x', source))).toEqual(new Set(names.map((name) => `x ${name}`)));
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
