/** An upstream service of a test's own: a bare HTTP server that responds as the test says, well or badly. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type Gateway, type GatewayOptions, graphql, startGateway } from './gateway.ts';

export interface Received {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Respond = (request: Received, response: ServerResponse) => void;

export interface Stub {
  readonly url: string;
  /** The requests, in order, without health probes. */
  readonly received: Received[];
  /** The open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** How many connections were ever made. */
  readonly connections: number;
  /** Health probes so far. */
  readonly probes: number;
  /** Whether it leaves health probes without a response from now on. */
  holdsProbes: boolean;
  /** How it responds from now on. */
  respond: Respond;
  close(): Promise<void>;
}

/** Starts a service that ends with the test. */
export async function startStub(respond: Respond = () => {}, port = 0): Promise<Stub> {
  const stub = await openStub(respond, port);
  onTestFinished(() => stub.close());
  return stub;
}

/** Starts a service that whoever asks for it closes. */
export async function openStub(respond: Respond = () => {}, port = 0): Promise<Stub> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let probes = 0;
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      if (incoming.url === '/') {
        probes += 1;
        return stub.holdsProbes || response.writeHead(404).end();
      }
      const { method = '', url: path = '', headers } = incoming;
      const request = { method, path, headers, body: Buffer.concat(chunks).toString() };
      received.push(request);
      stub.respond(request, response);
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stub: Stub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    sockets,
    get connections() {
      return connections;
    },
    get probes() {
      return probes;
    },
    holdsProbes: false,
    respond,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return stub;
}

/** Responds with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

/** The contract's error envelope. */
export const envelope = (type: string, status: number, more: object = {}): object => ({
  title: 'A title',
  detail: 'A detail.',
  instance: 'their-instance',
  type: `errors/${type}`,
  status,
  ...more,
});

/** A gateway in proxy mode over a service. It ends with the test. */
export async function proxyTo(stub: Pick<Stub, 'url'>, options: GatewayOptions = {}) {
  const gateway = await openProxyTo(stub, options);
  onTestFinished(() => gateway.close());
  return { ...gateway, ...withKey(gateway, 'their-key') };
}

export const openProxyTo = (stub: Pick<Stub, 'url'>, options: GatewayOptions = {}) =>
  startGateway({ ...options, environment: { UPSTREAM_URL: stub.url, ...options.environment } });

const withKey = ({ address }: Pick<Gateway, 'address'>, usual: string) => ({
  ask: (query: string, variables?: Record<string, unknown>, key: string | undefined = usual) =>
    graphql(address, key, query, variables),
  rest: (method: string, path: string, body?: object) =>
    fetch(`${address}${path}`, {
      method,
      headers: { 'x-api-key': usual, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    }),
});

/**
 * One service, and a gateway in proxy mode over it, for all tests of a suite.
 * @returns what a test begins with: how the service responds, and a key that no other test uses, whose circuits are closed
 */
export function shareProxy() {
  let shared: { readonly stub: Stub; readonly gateway: Gateway } | undefined;
  let keys = 0;
  beforeAll(async () => {
    const stub = await openStub();
    shared = { stub, gateway: await openProxyTo(stub) };
  });
  afterAll(async () => {
    await shared?.gateway.close();
    await shared?.stub.close();
  });
  return (respond: Respond) => {
    if (shared === undefined) throw new Error('The gateway is started before the tests');
    const { stub, gateway } = shared;
    stub.respond = respond;
    stub.received.length = 0;
    keys += 1;
    return { ...gateway, stub, ...withKey(gateway, `key-${keys}`) };
  };
}

/** A complete pnet post, as the contract has it. */
export const pnetPost = (id: string, more: object = {}) => ({
  object: 'Post',
  provider: 'PNET',
  id,
  social_id: `s${id}`,
  share_url: 'https://pnet.example/p',
  text: `Text ${id}`,
  date: '1d',
  parsed_datetime: '2026-11-19T12:00:00.000Z',
  reaction_counter: 5_000_000_000,
  comment_counter: 0,
  repost_counter: 0,
  impressions_counter: 0,
  author: { public_identifier: 'ada', id: 'ACoAda', name: 'Ada', is_company: false },
  permissions: { can_react: true, can_share: true, can_post_comments: true },
  is_repost: false,
  mentions: [],
  attachments: [],
  ...more,
});

export const postList = (items: unknown[], cursor: string | null = null) => ({
  object: 'PostList',
  items,
  cursor,
  paging: { page_count: items.length },
});

export const webhook = (id: string, more: object = {}) => ({
  object: 'Webhook',
  id,
  enabled: true,
  request_url: 'https://hooks.example/in',
  format: 'json',
  account_ids: [],
  headers: [],
  data: [],
  events: ['new_relation'],
  type: 'AUTO',
  ...more,
});

/** An operation that reads posts, with every part that an upstream can get wrong. */
export const listPosts = `query ($first: Int = 10, $after: String) {
  posts(accountId: "a1", identifier: "ACoAda", first: $first, after: $after) {
    nodes { __typename ... on PnetPost { id providerId text reactionCount userReacted author { name }
      attachments { type providerId } } }
    pageInfo { hasNextPage endCursor }
  }
}`;
