/** The limits, with the figures that the code has. */
import { readConfig } from '../../../src/app/config/config.ts';
import type { variables } from '../../../src/app/config/variables.ts';
import { burstSeconds } from '../../../src/auth/rate-limits.ts';
import { maxAccounts } from '../../../src/capabilities/deliveries/events.ts';
import { maxReplayedEvents } from '../../../src/capabilities/deliveries/shapes.ts';
import { defaultWaitMs, maxWaiting } from '../../../src/capabilities/jobs/lease.ts';
import { maxAuthors } from '../../../src/capabilities/posts/graphql/nodes.ts';
import { maxNoticeReceivers, webhookLimits } from '../../../src/capabilities/webhooks/shapes.ts';
import { maxPages } from '../../../src/capabilities/webhooks/upstream.ts';
import { maxListBytes } from '../../../src/capabilities/webhooks/whole-list.ts';
import { maxPayloadBytes } from '../../../src/delivery/payload.ts';
import { maxIntrospectionCost, operationLimits } from '../../../src/graphql/cost/limits.ts';
import { maxCharacters } from '../../../src/graphql/documents/persisted-queries.ts';
import { beginMs, maxOperations, maxSmallMessages } from '../../../src/graphql/doors/websocket.ts';
import { keylessLimits } from '../../../src/graphql/doors/websocket-keyless.ts';
import { streamLimits } from '../../../src/graphql/executors/stream-turns.ts';
import { maxByIds } from '../../../src/graphql/kit/node.ts';
import { maxReportedErrors } from '../../../src/graphql/presentation.ts';
import { maxWaitingBytes, maxWaitingRequests, waitingLimits } from '../../../src/http/connections.ts';
import { bodyLimits, maxBodyBytes, maxBodyChunks, maxStrangerBytes } from '../../../src/http/request-bodies.ts';
import { maxHeaderLength, maxHeadersLength } from '../../../src/http/request-head.ts';
import { socketLimits } from '../../../src/http/web-socket.ts';
import type { ErrorName } from '../../../src/kernel/errors.ts';
import { issueLimits } from '../../../src/kernel/issues.ts';
import { maxJsonDepth, maxJsonEntries, maxJsonFields } from '../../../src/kernel/lib/json-text.ts';
import { placeLimits } from '../../../src/kernel/places.ts';
import { limits, maxEntries, maxWatched } from '../../../src/kernel/validation.ts';
import { tokenLifetimeMs } from '../../../src/pages/graphiql/sign-in.ts';
import { maxDepth, maxValues } from '../../../src/splice/layout.ts';
import { idempotencyLimits } from '../../../src/store/idempotency-rows.ts';
import { readLimits, sliceLimits } from '../../../src/store/read-budget.ts';
import { maxUnread } from '../../../src/store/watch.ts';
import { code, row, table } from './markdown.ts';

const number = (value: number): string => value.toLocaleString('en');
const seconds = (ms: number): string => `${number(ms / 1_000)} seconds`;
const characters = (count: number): string => `${number(count)} characters`;
function bytes(count: number): string {
  if (count % 1_048_576 === 0) return `${number(count / 1_048_576)} MiB`;
  return `${number(count / 1_024)} KiB`;
}

const defaults = readConfig({});
const { rateLimits: quotas, streams: ofStreams } = defaults;

const error = (name: ErrorName): string => code(`errors/${name}`);
const later = '503 `errors/service_unavailable` with `Retry-After`';
const tooHigh = error('limit_too_high');
const tooLong = error('too_many_characters');

/** What is limited, how far, and the response beyond it; with the variable that changes it. */
type Limit = readonly [what: string, limit: string, beyond: string, variable?: keyof typeof variables];

const requests: readonly Limit[] = [
  ['Body of a GraphQL request without an API key', bytes(maxStrangerBytes), error('missing_credentials')],
  ['Request body', `${bytes(maxBodyBytes)}, in ${number(maxBodyChunks)} chunks`, error('content_too_large')],
  [
    `Request bodies, and messages of WebSockets that arrive, of more than ${bytes(bodyLimits.small)} at once, in each process`,
    bytes(bodyLimits.bytes),
    `${later}, or close code 1013 on a WebSocket. The client address (IPv6: one /64) with the most bytes loses its oldest request`,
  ],
  ['Request headers, the URL included', bytes(maxHeadersLength), error('content_too_large')],
  ['A header that the gateway reads, such as `Accept`', characters(maxHeaderLength), error('content_too_large')],
  [
    'Fields of all objects in a JSON body',
    number(maxJsonFields),
    `${error('content_too_large')}, before the body is parsed`,
  ],
  [
    'Nesting of a JSON body, of variables in a URL, of `emitEvent.data`',
    `${maxJsonDepth} levels`,
    `${error('malformed_request')}, ${error('invalid_parameters')}`,
  ],
  ['Free text, such as a description', characters(limits.text), tooLong],
  ['Ids and names', characters(limits.name), `${tooLong} (REST: EDIT and POSTS ${error('unprocessable_entity')})`],
  ['URLs', characters(limits.url), tooLong],
  [
    'Port of a webhook URL',
    'all but [those that browsers block](https://fetch.spec.whatwg.org/#port-blocking), such as 22 and 25',
    error('invalid_url'),
  ],
  ['Cursor', characters(limits.cursor), 'the same error as for a cursor of another list'],
  [
    'Entries of a list for which the contract has no limit',
    number(maxEntries),
    `${tooHigh}, before the entries are checked`,
  ],
  [
    'Invalid fields in one error',
    `${issueLimits.count}, ${bytes(issueLimits.bytes)}`,
    'the first of them, and a count of the rest',
  ],
  [
    'Message of an invalid request',
    bytes(issueLimits.detailBytes),
    'the first invalid fields, and a count of the rest',
  ],
  [
    'Name or value of the request that a message repeats',
    characters(issueLimits.echoedCharacters),
    'its beginning, with `…`',
  ],
  ['Requests that wait for one job, in each process', number(maxWaiting), later],
  ['Wait for other requests on the same job', seconds(defaultWaitMs), later],
  [
    'Responses stored by `Idempotency-Key`, for each API key in 24 hours',
    number(idempotencyLimits.rowsOfApiKey),
    `${tooHigh} (EDIT: ${error('unprocessable_entity')})`,
  ],
  [
    'Response stored by `Idempotency-Key`',
    bytes(idempotencyLimits.bodyBytes),
    `it is sent and not stored: a repetition is ${error('request_timeout')}`,
  ],
  ['Page of `GET /v1/webhooks`', `${bytes(maxListBytes)}, or one webhook`, 'a shorter page, with a `cursor`'],
  [
    'Pipelined requests that wait on one connection',
    `${number(maxWaitingRequests)}, with bodies of ${bytes(maxWaitingBytes)} together`,
    '503 with `Retry-After` for the one too many, behind the responses to those before it; then the connection is closed',
  ],
];

const operations: readonly Limit[] = [
  [
    '[Cost](#operation-cost) of an operation',
    number(defaults.maxOperationCost),
    `${tooHigh}, before execution`,
    'GRAPHQL_MAX_COST',
  ],
  ['Cost of an introspection that no known tool sends', number(maxIntrospectionCost), `${tooHigh}, before execution`],
  [
    'Operations and REST requests of one API key that are executed at once, in each process',
    `${number(placeLimits.embedded.query)} reads, ${number(placeLimits.embedded.mutation)} others; in proxy mode ${number(placeLimits['own-keys'].query)} and ${number(placeLimits['own-keys'].mutation)}, with own webhooks ${number(placeLimits['own-webhooks'].query)} and ${number(placeLimits['own-webhooks'].mutation)}`,
    'further ones wait for those before them',
  ],
  [
    'Response',
    bytes(defaults.maxResponseBytes),
    `${tooHigh}; after mutations, at the path of each mutation whose result does not fit: it was executed`,
  ],
  ['Errors in one response', number(maxReportedErrors), 'the first of them, and a count of the rest'],
  ['Document', `${characters(operationLimits.characters)}, ${number(operationLimits.tokens)} tokens`, tooHigh],
  ['Operations in a document', number(operationLimits.operations), tooHigh],
  ['Brackets within brackets', number(operationLimits.nesting), tooHigh],
  ['Fields within fields', number(operationLimits.depth), tooHigh],
  ['Fragments within fragments', number(operationLimits.fragmentNesting), tooHigh],
  ['Selected fields, counted wherever their fragment is spread', number(operationLimits.selections), tooHigh],
  ['Pairs of fields with the same response name', number(operationLimits.comparisons), tooHigh],
  ['Aliases', number(operationLimits.aliases), tooHigh],
  ['Root fields', number(operationLimits.rootFields), tooHigh],
  ['Mutations', number(operationLimits.mutations), tooHigh],
  ['Entries of all lists in a request', number(maxJsonEntries), `${tooHigh}, before the body is parsed`],
  ['Ids of one `nodes` field', number(maxByIds), `${tooHigh}, at the path of each beyond it`],
  ['Authors whose posts are searched by `node` and `nodes`', number(maxAuthors), tooHigh],
  ['Representations of one `_entities` field', number(maxByIds), `${tooHigh}, at the path of each beyond it`],
  [
    'Stored data that is read at once',
    `${bytes(readLimits.operation)} for an operation, ${bytes(readLimits.workspace)} for a workspace, ${bytes(readLimits.process)} for a process; one operation at a time that holds some may go beyond the last two`,
    `${tooHigh} for an operation; for a workspace or process it waits for up to ${seconds(readLimits.waitMs)}, then ${error('service_unavailable')}`,
  ],
  [
    'Deliveries of a state, events of accounts, postings or accounts that are looked at for a filter that few of them match',
    `${number(sliceLimits.rows * sliceLimits.ofList)} for a page or a \`totalCount\`, in parts of ${number(sliceLimits.rows)}; ${number(sliceLimits.ofOperation)} parts for an operation, but one for each list`,
    'a page with fewer items and an `endCursor`; `isTotalCountExact` is false',
  ],
  ['Stored fields of job postings that are read at once', bytes(readLimits.parsed), tooHigh],
  ['Documents of persisted queries, in each process', characters(maxCharacters), 'the least recently used is evicted'],
  ['Webhooks of a service that are searched for one webhook', number(maxPages * webhookLimits.limit.max), tooHigh],
  [
    'Commas and opening brackets in a response of a service',
    `${number(maxValues)}, within ${maxDepth} levels`,
    error('provider_error'),
  ],
];

const perAddress = 'from one client address (IPv6: one /64)';
const burst = `over ${burstSeconds} seconds`;
const rates: readonly Limit[] = [
  ['Requests with one API key', `${number(quotas.requestsPerMinute)} a minute`, later, 'REQUESTS_PER_MINUTE'],
  [
    `Requests with wrong API keys ${perAddress}`,
    `${number(quotas.wrongKeysPerMinute)} a minute`,
    `${later}; a right key is served`,
    'KEYLESS_PER_MINUTE',
  ],
  [
    `GraphQL requests without an API key ${perAddress}`,
    `${number(quotas.keylessPerMinute)} a minute`,
    later,
    'KEYLESS_PER_MINUTE',
  ],
  [
    'Events of a workspace: `emitEvent`, `fireTriggerWebhook`, `sendTestEvent`',
    `${number(quotas.eventsPerSecond)} a second ${burst}`,
    later,
    'EVENTS_PER_SECOND',
  ],
  [
    'Deliveries of a workspace: by events, `redeliverDelivery` and `redeliverWebhookDeliveries`',
    `${number(quotas.deliveriesPerSecond)} a second ${burst}`,
    `${later}, until the rate is within the limit again`,
    'EVENTS_PER_SECOND',
  ],
  [
    'Bytes of events of a workspace, 512 for each besides its data',
    `${bytes(quotas.eventBytesPerSecond)} a second ${burst}, for each 100 events if more may be emitted`,
    `${later}; \`errors/content_too_large\` for an event that is larger than that of 10 seconds`,
    'EVENTS_PER_SECOND',
  ],
  [
    'Bytes of the stored events of a workspace with the responses to their attempts, and of its job postings, 512 for each event, delivery, attempt and posting besides',
    bytes(defaults.storedBytesPerWorkspace),
    `403 ${error('action_required')}, until old events are deleted`,
    'STORED_BYTES_PER_WORKSPACE',
  ],
  [
    'Webhooks of a workspace',
    number(defaults.webhooksPerWorkspace),
    `403 ${error('action_required')}: delete one`,
    'WEBHOOKS_PER_WORKSPACE',
  ],
  ['Webhooks of a workspace that receive notices', number(maxNoticeReceivers), tooHigh],
  ['Payload of a delivery', bytes(maxPayloadBytes), 'it is not sent: its attempts have neither a status nor a failure'],
  ['Demo link to GraphiQL', `1 use, ${tokenLifetimeMs / 3_600_000} hour`, error('expired_link')],
];

const streams: readonly Limit[] = [
  ['Subscriptions of one API key, in each process', number(ofStreams.perKey), later, 'STREAMS_PER_KEY'],
  ['Subscriptions of one workspace, in each process', number(ofStreams.perWorkspace), later, 'STREAMS_PER_KEY'],
  ['Subscriptions in each process', number(ofStreams.perProcess), later, 'STREAMS_PER_KEY'],
  [
    'WebSockets of one API key, of one workspace, and in each process',
    `${number(ofStreams.perKey)}, ${number(ofStreams.perWorkspace)}, and ${number(ofStreams.perProcess)}`,
    'closed with 1013, after which clients connect again',
    'STREAMS_PER_KEY',
  ],
  [
    'WebSockets from one client address before `connection_init`',
    `${number(keylessLimits.beginning)}, for ${seconds(beginMs)}`,
    'closed with 1013; at the end of the time with 4408',
  ],
  [
    'WebSockets without a right API key from one client address, after `connection_init`',
    `${number(keylessLimits.keyless)}, for ${seconds(keylessLimits.lastMs)}`,
    'closed with 1013; at the end of the time with 4403',
  ],
  ['Messages of a WebSocket without a right API key', number(keylessLimits.messages), 'closed with 4403'],
  [
    'Messages of a WebSocket that begin no operation, such as pings (those of the protocol too), in a minute',
    number(maxSmallMessages),
    'closed with 4429, behind the responses to operations before it',
  ],
  ['Open operations of one WebSocket', number(maxOperations), error('service_unavailable')],
  [
    'Message of a WebSocket',
    `${bytes(maxBodyBytes)}, ${number(maxJsonFields)} fields, ${number(maxJsonEntries)} entries of lists, ${maxJsonDepth} levels; ${bytes(maxStrangerBytes)} without a right API key`,
    'closed with 1009, or with 4400 behind the responses to operations before it',
  ],
  [
    'Parts of a message of a WebSocket',
    `${number(socketLimits.caller.maxFragments)}; ${number(socketLimits.stranger.maxFragments)} without a right API key`,
    'closed with 1008',
  ],
  ['Time to begin a WebSocket with `connection_init`', seconds(beginMs), 'closed with 4408'],
  ['Postings or accounts of one subscription, or accounts of `events`', number(maxWatched), `400 ${tooHigh}`],
  [
    'Accounts of an API key that lists `events` without `accountIds`',
    `${number(maxAccounts)}, if the key is limited to accounts`,
    `400 ${tooHigh}`,
  ],
  [
    'Unread changes of one subscription',
    `${number(maxUnread)} deliveries`,
    'the oldest are left out; a delivery that changes again is reported again',
  ],
  ['Unread events of one subscription', number(maxUnread), 'the stream is cut off: subscribe again with `since`'],
  ['Events that `eventReceived(since)` begins with', number(maxReplayedEvents), `400 ${tooHigh}`],
  [
    'Unread bytes of streams, for all clients of one API key',
    bytes(streamLimits.unreadBytes),
    'the streams wait until some are read',
  ],
  [
    'Unread bytes of streams, in each process',
    bytes(streamLimits.unreadBytesOfProcess),
    'streams wait, but for those of API keys that have no unread bytes',
  ],
  [
    'Responses that wait for clients to read them, in each process',
    `${bytes(waitingLimits.maxBytes)}, or one response; ${bytes(waitingLimits.idleBytes)} of those whose clients have read nothing for ${seconds(waitingLimits.idleMs)}`,
    'connections are closed, first those whose clients read nothing',
  ],
  ['Time in which a client reads nothing of its response', seconds(waitingLimits.stallMs), 'the connection is closed'],
];

const limitTable = (rows: readonly Limit[]): string =>
  table(
    ['What', 'Limit', 'Variable', 'Beyond it'],
    rows.map(([what, limit, beyond, variable]) =>
      row(what, limit, variable === undefined ? '' : code(variable), beyond),
    ),
  );

export const limitTables: Readonly<Record<string, string>> = {
  'limits of requests': limitTable(requests),
  'limits of operations': limitTable(operations),
  'limits of rates': limitTable(rates),
  'limits of streams': limitTable(streams),
};
