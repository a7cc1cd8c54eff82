/**
 * All metrics and their labels: meters, the dashboard's test and the counting code's types derive from this table.
 * Names follow OpenTelemetry's semantic conventions where they have one. Labels have few values, never an id, a key or
 * a URL.
 */

type Kind = 'counter' | 'histogram' | 'gauge' | 'total';

interface Series<OfKind extends Kind = Kind, Label extends string = string> {
  /** A `total` is a counter that is read at collection, as gauges are. */
  readonly kind: OfKind;
  /** In UCUM: `s`, `By`, or a count in braces. */
  readonly unit: string;
  readonly help: string;
  readonly labels: readonly Label[];
  readonly buckets?: readonly number[];
}

/** Delivery attempts end after 15 seconds: without 15.5, quantiles of hanging destinations would be close to 30. */
const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15.5, 30];
const costBuckets = [10, 100, 1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 150_000, 1_000_000];

const row =
  <OfKind extends Kind>(kind: OfKind) =>
  <Label extends string = never>(unit: string, help: string, labels: readonly Label[] = []): Series<OfKind, Label> => ({
    kind,
    unit,
    help,
    labels,
  });

const counter = row('counter');
const gauge = row('gauge');
const total = row('total');

const histogram = <Label extends string = never>(
  unit: string,
  help: string,
  buckets: readonly number[],
  labels: readonly Label[] = [],
): Series<'histogram', Label> => ({ kind: 'histogram', unit, help, labels, buckets });

/** Rows of kind, unit, help and labels; of a histogram, the bounds of its buckets stand before the labels. */
const series = {
  'postern.build.info': gauge('', 'Always 1; the labels say which build runs.', ['version', 'node']),
  'http.server.request.duration': histogram('s', 'Duration of HTTP requests, to the end of the response.', seconds, [
    'http.request.method',
    'http.route',
    'http.response.status_code',
  ]),
  'postern.graphql.operation.duration': histogram(
    's',
    'Duration of GraphQL requests, by name, type and outcome of the operation, and whether it was compiled.',
    seconds,
    ['graphql.operation.name', 'graphql.operation.type', 'outcome', 'compiled'],
  ),
  'postern.graphql.operation.cost': histogram(
    '{unit}',
    'Cost of GraphQL operations, refused ones included, in the units of @cost.',
    costBuckets,
    ['graphql.operation.type'],
  ),
  'postern.response_cache.lookups': counter('{request}', 'Lookups in the response cache, by their result.', ['result']),
  'postern.errors': counter(
    '{response}',
    'Responses with errors, by type. A response with several errors of one type counts once.',
    ['error.type'],
  ),
  'postern.streams': gauge('{stream}', 'Subscriptions that are open.'),
  'postern.websockets': gauge('{connection}', 'WebSockets that are open and have told their API key.'),
  'http.client.request.duration': histogram(
    's',
    'Duration of calls to the upstream service. Each attempt counts.',
    seconds,
    ['http.request.method', 'url.template', 'http.response.status_code', 'error.type'],
  ),
  'postern.upstream.retries': counter('{call}', 'Calls to the upstream service that were repeated.', ['url.template']),
  'postern.upstream.refusals': counter(
    '{call}',
    'Calls to the upstream service that were not made, because a circuit was open or too many waited.',
    ['url.template'],
  ),
  'postern.upstream.circuit.changes': counter(
    '{change}',
    'Changes of circuits: from closed to open, and back to closed.',
    ['state'],
  ),
  'postern.upstream.circuits.open': gauge('{circuit}', 'Circuits that are not closed.'),
  'postern.upstream.slots': gauge('{call}', 'Calls to the upstream service: in flight, and waiting for a connection.', [
    'state',
  ]),
  'db.client.connection.count': gauge(
    '{connection}',
    'Connections of a pool to the database. On SQLite a pool is a thread.',
    ['db.client.connection.pool.name', 'db.client.connection.state'],
  ),
  'db.client.connection.pending_requests': gauge('{request}', 'Requests that wait for a connection of the pool.', [
    'db.client.connection.pool.name',
  ]),
  'postern.intake.webhooks': gauge('{webhook}', 'Webhooks that the gateway has at the service for its events.', [
    'state',
  ]),
  'postern.events': counter('{event}', 'Events that were stored.'),
  'postern.deliveries.created': counter('{delivery}', 'Deliveries that events have created.'),
  'postern.delivery.attempt.duration': histogram(
    's',
    'Duration of attempts to deliver, by their outcome and the response of the destination.',
    seconds,
    ['outcome', 'response'],
  ),
  'postern.webhooks.disabled': counter('{webhook}', 'Webhooks that the gateway has disabled.', ['reason']),
  'postern.deliveries': gauge(
    '{delivery}',
    'Deliveries in the database by state; pending ones are due, waiting for a retry, or being sent.',
    ['state'],
  ),
  'postern.delivery.oldest_due.age': gauge(
    's',
    'Age of the oldest delivery that could be sent now: it is due, nothing is being sent to its destination, which does not fail and is not paused; 0 if there is none.',
  ),
  'postern.delivery.oldest.age': gauge(
    's',
    'Age of the oldest delivery on its way, by what it waits for: nothing of its destination (due), other requests to a destination or one that fails (behind), a response (sending), the time of its next attempt (retrying), the end of a pause (paused), its redelivery (held); 0 if there is none.',
    ['reason'],
  ),
  'postern.delivery.unstored.age': gauge(
    's',
    'Time for which attempts of a webhook could not be stored, the longest in this process; 0 if there is none.',
  ),
  'postern.delivery.backlog.age': gauge('s', 'Time since the deliveries in the database were counted.'),
  'postern.delivery.lanes': gauge(
    '{lane}',
    'Destinations that this process knows. A narrowed one gets fewer requests at once than a new one.',
    ['state'],
  ),
  'postern.delivery.requests': gauge(
    '{delivery}',
    'Deliveries in this process: being sent, waiting for a slot, waiting to be settled, and those whose attempt could not be stored so far.',
    ['state'],
  ),
  'postern.delivery.slots': gauge(
    '{request}',
    'Requests to webhooks that this process makes at once, slow ones not counted.',
  ),
  'postern.delivery.leases': gauge('{lease}', 'Deliveries that this process has claimed.'),
  'postern.delivery.leases.freed': counter('{lease}', 'Claims of dead processes that this process has freed.'),
  'postern.retention.deleted': counter('{event}', 'Events that retention has deleted, with their deliveries.'),
  'postern.retention.sweep.duration': histogram(
    's',
    'Duration of the sweeps of retention, pauses included.',
    [0.1, 1, 10, 60, 600, 3_600],
  ),
  'postern.events.oldest.age': gauge('s', 'Age of the oldest event in the database.'),
  'nodejs.eventloop.delay.p99': gauge('s', '99th percentile of the delay of the event loop since the last collection.'),
  'nodejs.eventloop.delay.max': gauge('s', 'Longest delay of the event loop since the last collection.'),
  'nodejs.eventloop.utilization': gauge('1', 'Share of the time since the start in which the event loop was busy.'),
  'process.cpu.time': total('s', 'CPU time that the process has used.', ['cpu.mode']),
  'process.memory.usage': gauge('By', 'Resident memory of the process.'),
} as const;

type SeriesName = keyof typeof series;

type NamesOf<OfKind extends Kind> = {
  [Name in SeriesName]: (typeof series)[Name]['kind'] extends OfKind ? Name : never;
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
