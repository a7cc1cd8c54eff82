/**
 * All metrics and their labels: meters, the dashboard's test and the counting code's types derive from this table.
 * Names follow OpenTelemetry's semantic conventions where they have one. Labels have few values, never an id, a key or
 * a URL.
 */

interface Series {
  /** A `total` is a counter that is read at collection, as gauges are. */
  readonly kind: 'counter' | 'histogram' | 'gauge' | 'total';
  /** In UCUM: `s`, `By`, or a count in braces. */
  readonly unit: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
}

/** Delivery attempts end after 15 seconds: without 15.5, quantiles of hanging destinations would be close to 30. */
const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15.5, 30];
const costBuckets = [10, 100, 1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 150_000, 1_000_000];

export const series = {
  'postern.build.info': {
    kind: 'gauge',
    unit: '',
    help: 'Always 1; the labels say which build runs.',
    labels: ['version', 'node'],
  },
  'http.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    help: 'Duration of HTTP requests, to the end of the response.',
    labels: ['http.request.method', 'http.route', 'http.response.status_code'],
    buckets: seconds,
  },
  'postern.graphql.operation.duration': {
    kind: 'histogram',
    unit: 's',
    help: 'Duration of GraphQL requests, by name, type and outcome of the operation, and whether it was compiled.',
    labels: ['graphql.operation.name', 'graphql.operation.type', 'outcome', 'compiled'],
    buckets: seconds,
  },
  'postern.graphql.operation.cost': {
    kind: 'histogram',
    unit: '{unit}',
    help: 'Cost of GraphQL operations, refused ones included, in the units of @cost.',
    labels: ['graphql.operation.type'],
    buckets: costBuckets,
  },
  'postern.response_cache.lookups': {
    kind: 'counter',
    unit: '{request}',
    help: 'Lookups in the response cache, by their result.',
    labels: ['result'],
  },
  'postern.errors': {
    kind: 'counter',
    unit: '{response}',
    help: 'Responses with errors, by type. A response with several errors of one type counts once.',
    labels: ['error.type'],
  },
  'postern.streams': {
    kind: 'gauge',
    unit: '{stream}',
    help: 'Subscriptions that are open.',
    labels: [],
  },
  'postern.websockets': {
    kind: 'gauge',
    unit: '{connection}',
    help: 'WebSockets that are open and have told their API key.',
    labels: [],
  },
  'http.client.request.duration': {
    kind: 'histogram',
    unit: 's',
    help: 'Duration of calls to the upstream service. Each attempt counts.',
    labels: ['http.request.method', 'url.template', 'http.response.status_code', 'error.type'],
    buckets: seconds,
  },
  'postern.upstream.retries': {
    kind: 'counter',
    unit: '{call}',
    help: 'Calls to the upstream service that were repeated.',
    labels: ['url.template'],
  },
  'postern.upstream.refusals': {
    kind: 'counter',
    unit: '{call}',
    help: 'Calls to the upstream service that were not made, because a circuit was open or too many waited.',
    labels: ['url.template'],
  },
  'postern.upstream.circuit.changes': {
    kind: 'counter',
    unit: '{change}',
    help: 'Changes of circuits: from closed to open, and back to closed.',
    labels: ['state'],
  },
  'postern.upstream.circuits.open': {
    kind: 'gauge',
    unit: '{circuit}',
    help: 'Circuits that are not closed.',
    labels: [],
  },
  'postern.upstream.slots': {
    kind: 'gauge',
    unit: '{call}',
    help: 'Calls to the upstream service: in flight, and waiting for a connection.',
    labels: ['state'],
  },
  'db.client.connection.count': {
    kind: 'gauge',
    unit: '{connection}',
    help: 'Connections of a pool to the database. On SQLite a pool is a thread.',
    labels: ['db.client.connection.pool.name', 'db.client.connection.state'],
  },
  'db.client.connection.pending_requests': {
    kind: 'gauge',
    unit: '{request}',
    help: 'Requests that wait for a connection of the pool.',
    labels: ['db.client.connection.pool.name'],
  },
  'postern.events': {
    kind: 'counter',
    unit: '{event}',
    help: 'Events that were stored.',
    labels: [],
  },
  'postern.deliveries.created': {
    kind: 'counter',
    unit: '{delivery}',
    help: 'Deliveries that events have created.',
    labels: [],
  },
  'postern.delivery.attempt.duration': {
    kind: 'histogram',
    unit: 's',
    help: 'Duration of attempts to deliver, by their outcome and the response of the destination.',
    labels: ['outcome', 'response'],
    buckets: seconds,
  },
  'postern.webhooks.disabled': {
    kind: 'counter',
    unit: '{webhook}',
    help: 'Webhooks that the gateway has disabled.',
    labels: ['reason'],
  },
  'postern.deliveries': {
    kind: 'gauge',
    unit: '{delivery}',
    help: 'Deliveries in the database by state; pending ones are due, waiting for a retry, or being sent.',
    labels: ['state'],
  },
  'postern.delivery.oldest_due.age': {
    kind: 'gauge',
    unit: 's',
    help: 'Age of the oldest delivery that is due and not being sent; 0 if there is none.',
    labels: [],
  },
  'postern.delivery.backlog.age': {
    kind: 'gauge',
    unit: 's',
    help: 'Time since the deliveries in the database were counted.',
    labels: [],
  },
  'postern.delivery.lanes': {
    kind: 'gauge',
    unit: '{lane}',
    help: 'Destinations that this process knows. A narrowed one gets fewer requests at once than a new one.',
    labels: ['state'],
  },
  'postern.delivery.requests': {
    kind: 'gauge',
    unit: '{delivery}',
    help: 'Deliveries in this process: being sent, waiting for a slot, and waiting to be settled.',
    labels: ['state'],
  },
  'postern.delivery.slots': {
    kind: 'gauge',
    unit: '{request}',
    help: 'Requests to webhooks that this process makes at once, slow ones not counted.',
    labels: [],
  },
  'postern.delivery.leases': {
    kind: 'gauge',
    unit: '{lease}',
    help: 'Deliveries that this process has claimed.',
    labels: [],
  },
  'postern.delivery.leases.freed': {
    kind: 'counter',
    unit: '{lease}',
    help: 'Claims of dead processes that this process has freed.',
    labels: [],
  },
  'postern.retention.deleted': {
    kind: 'counter',
    unit: '{event}',
    help: 'Events that retention has deleted, with their deliveries.',
    labels: [],
  },
  'postern.retention.sweep.duration': {
    kind: 'histogram',
    unit: 's',
    help: 'Duration of the sweeps of retention, pauses included.',
    labels: [],
    buckets: [0.1, 1, 10, 60, 600, 3_600],
  },
  'postern.events.oldest.age': {
    kind: 'gauge',
    unit: 's',
    help: 'Age of the oldest event in the database.',
    labels: [],
  },
  'nodejs.eventloop.delay.p99': {
    kind: 'gauge',
    unit: 's',
    help: '99th percentile of the delay of the event loop since the last collection.',
    labels: [],
  },
  'nodejs.eventloop.delay.max': {
    kind: 'gauge',
    unit: 's',
    help: 'Longest delay of the event loop since the last collection.',
    labels: [],
  },
  'nodejs.eventloop.utilization': {
    kind: 'gauge',
    unit: '1',
    help: 'Share of the time since the start in which the event loop was busy.',
    labels: [],
  },
  'process.cpu.time': {
    kind: 'total',
    unit: 's',
    help: 'CPU time that the process has used.',
    labels: ['cpu.mode'],
  },
  'process.memory.usage': {
    kind: 'gauge',
    unit: 'By',
    help: 'Resident memory of the process.',
    labels: [],
  },
} as const satisfies Record<string, Series>;

export type SeriesName = keyof typeof series;

type NamesOf<Kind extends Series['kind']> = {
  [Name in SeriesName]: (typeof series)[Name]['kind'] extends Kind ? Name : never;
}[SeriesName];

export type CounterName = NamesOf<'counter'>;
export type HistogramName = NamesOf<'histogram'>;
/** Read at collection. */
export type GaugeName = NamesOf<'gauge' | 'total'>;

/** Undefined labels are left out. */
export type LabelsOf<Name extends SeriesName> = Readonly<
  Partial<Record<(typeof series)[Name]['labels'][number], string | number>>
>;

export const allSeries: readonly (readonly [name: SeriesName, series: Series])[] = Object.entries(series).map(
  ([name, each]) => [name as SeriesName, each],
);
