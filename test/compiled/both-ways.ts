/** Two gateways in proxy mode over one service: one that compiles operations, and one that does not. They must not differ. */
import { afterAll, beforeAll } from 'vitest';
import type { Gateway } from '../support/gateway.ts';
import {
  json,
  openProxyTo,
  openStub,
  pnetPost,
  postList,
  proxyTo,
  type Respond,
  type Stub,
  startStub,
  webhook,
} from '../support/stub.ts';
import type { Tuning } from '../support/tuning.ts';

/** A response as it came. */
/**
 * The text of a response, with its errors in an order of their own: lists that fail at the same time have theirs in the order in which
 * they failed.
 */
export function errorsInOrder(body: string): string {
  const { errors, ...rest } = JSON.parse(body);
  if (!Array.isArray(errors) || errors.length < 2) return body;
  return JSON.stringify({ errors: errors.map((error) => JSON.stringify(error)).sort(), ...rest });
}

export interface Came {
  readonly status: number;
  /** Without the date. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a gateway did with a request. */
export interface Served extends Came {
  /** The requests that the service got for it, in order. */
  readonly calls: readonly string[];
  /** What the log line says of the compiled way. */
  readonly compiled: unknown;
}

export interface GraphQLRequest {
  /** POST if it does not say. */
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, unless it is a text, or bytes. */
  readonly body?: unknown;
  readonly path?: string;
}

export interface BothWays {
  readonly stub: Stub;
  readonly on: Gateway;
  readonly off: Gateway;
  /** Sends a request to the gateway that compiles, and then to the other. */
  ask(request: GraphQLRequest): Promise<{ readonly on: Served; readonly off: Served }>;
}

/** The last page of a list, with two posts, or three webhooks; of "ACoLong" a page of as many as are asked for, but no more than twelve. */
export const pages: Respond = ({ path }, response) => {
  if (path.startsWith('/v1/webhooks')) return json(response, 200, webhookPage);
  const isLong = path.includes('ACoLong');
  const limit = Number(new URL(path, 'http://x').searchParams.get('limit'));
  const items = Array.from({ length: Math.min(limit, isLong ? 12 : 2) }, (_, index) => pnetPost(`p${index}`));
  json(response, 200, postList(items, isLong ? 'next' : null));
};

const webhookPage = {
  object: 'WebhookList',
  items: [
    webhook('w1', { name: 'é', headers: [{ key: 'a', value: 'b' }], data: [{ name: 'n', key: 'chat_id' }] }),
    webhook('w2', { type: 'TRIGGER', events: [], trigger: { icon: 'CableIcon', name: 'Fire', context: 'CHAT' } }),
    webhook('w3', { type: 'NEWER', events: null, account_ids: [{ id: 'a1', type: 'NEWER' }] }),
  ],
  cursor: null,
};

/** Starts both. They end with the test. */
export async function startBothWays(
  respond: Respond = pages,
  environment: Readonly<Record<string, string>> = {},
  tuning: Tuning = {},
): Promise<BothWays> {
  const stub = await startStub(respond);
  const start = (compiled: string) =>
    proxyTo(stub, { environment: { COMPILED_OPERATIONS: compiled, ...environment }, tuning });
  return bothOf(stub, ...(await Promise.all([start('on'), start('off')])));
}

/** Starts both for all tests of a suite. @returns what a test begins with, with a key of its own, whose circuits are closed */
export function shareBothWays(): (respond?: Respond) => BothWays {
  let shared: BothWays | undefined;
  let keys = 0;
  beforeAll(async () => {
    const stub = await openStub();
    const start = (compiled: string) => openProxyTo(stub, { environment: { COMPILED_OPERATIONS: compiled } });
    shared = bothOf(stub, ...(await Promise.all([start('on'), start('off')])));
  });
  afterAll(async () => {
    await Promise.all([shared?.on.close(), shared?.off.close()]);
    await shared?.stub.close();
  });
  return (respond = pages) => {
    if (shared === undefined) throw new Error('The gateways are started before the tests');
    const { stub, ask } = shared;
    stub.respond = respond;
    stub.received.length = 0;
    keys += 1;
    const own = { 'x-api-key': `key-${keys}` };
    return { ...shared, ask: (request) => ask({ ...request, headers: { ...own, ...request.headers } }) };
  };
}

function bothOf(stub: Stub, on: Gateway, off: Gateway): BothWays {
  const send = async (gateway: Gateway, request: GraphQLRequest): Promise<Served> => {
    const before = stub.received.length;
    const lines = gateway.log.length;
    const came = await sendTo(gateway, request);
    const line = await requestLine(gateway, lines);
    return { ...came, calls: stub.received.slice(before).map(({ path }) => path), compiled: line.compiled };
  };
  return {
    stub,
    on,
    off,
    ask: async (request) => ({ on: await send(on, request), off: await send(off, request) }),
  };
}

/** Sends a request with the headers of a usual client. An empty header is left out. */
export async function sendTo(
  { address }: Pick<Gateway, 'address'>,
  { method = 'POST', headers = {}, body, path = '/graphql' }: GraphQLRequest,
): Promise<Came> {
  const all = {
    'content-type': 'application/json',
    'x-api-key': 'their-key',
    'x-request-id': 'request-id-of-the-test',
    ...headers,
  };
  const response = await fetch(address + path, {
    method,
    headers: Object.entries(all).filter(([, value]) => value !== ''),
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body) }),
  });
  const { date: _, ...rest } = Object.fromEntries(response.headers);
  return { status: response.status, headers: rest, body: await response.text() };
}

/** The log line of the request that was logged after so many lines. It comes when the response has been sent. */
export async function requestLine({ log }: Pick<Gateway, 'log'>, after: number): Promise<Record<string, unknown>> {
  for (;;) {
    const line = log.slice(after).find(({ msg }) => msg === 'request');
    if (line !== undefined) return line;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What the client sees, and what the service was asked. */
export const seen = ({ status, headers, body, calls }: Served) => ({ status, headers, body, calls });
