/**
 * The load generator, in a process of its own: it takes an order, opens the connections, says so, and measures when it is
 * told to. Closed load has a request under way on each connection. Open load sends requests at a fixed rate, whatever
 * becomes of those before, and counts how long each took from the moment when it was due.
 */
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { type HttpConnection, openConnection } from './http-connection.ts';

export interface LoadOrder {
  /** The address of the endpoint. */
  readonly url: string;
  readonly key: string;
  readonly query: string;
  /**
   * What the variable `$of` begins with. It goes on with a number, so that no two requests are about the same list. Null: there
   * is no variable, and all requests are the same.
   */
  readonly prefix: string | null;
  readonly connections: number;
  readonly ms: number;
  /** The rate of open load in requests a second; null for closed load. */
  readonly perSecond: number | null;
}

export interface LoadResult {
  readonly count: number;
  readonly tookMs: number;
  readonly p50: number;
  readonly p99: number;
}

let sentCount = 0;

/** Makes the text of the next request. */
function requestTexts({ url, key, query, prefix }: LoadOrder): () => string {
  const { host, pathname } = new URL(url);
  const number = () => String(sentCount).padStart(9, '0');
  const body = JSON.stringify({ query, ...(prefix === null ? {} : { variables: { of: prefix + number() } }) });
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'content-type: application/json',
    `x-api-key: ${key}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  const text = `${head.join('\r\n')}\r\n\r\n${body}`;
  if (prefix === null) return () => text;
  const [before, after] = [text.slice(0, text.lastIndexOf(number())), '"}}'];
  return () => {
    sentCount += 1;
    return before + number() + after;
  };
}

/** Sends requests, and expects of each response the status 200 and the length of the first one. */
function sender(order: LoadOrder): (connection: HttpConnection) => Promise<void> {
  const nextRequest = requestTexts(order);
  let expected: number | null = null;
  return async (connection) => {
    const { status, bytes } = await connection.send(nextRequest());
    expected ??= bytes;
    if (status !== 200 || bytes !== expected) {
      throw new Error(`${order.url} answered ${status} with ${bytes} bytes instead of ${expected}`);
    }
  };
}

async function closedLoad(
  order: LoadOrder,
  connections: readonly HttpConnection[],
  started: number,
): Promise<number[]> {
  const send = sender(order);
  const latencies: number[] = [];
  const client = async (connection: HttpConnection) => {
    for (let sentAt = performance.now(); sentAt - started < order.ms; sentAt = performance.now()) {
      await send(connection);
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(connections.map(client));
  return latencies;
}

async function openLoad(order: LoadOrder, connections: readonly HttpConnection[], started: number): Promise<number[]> {
  const send = sender(order);
  const latencies: number[] = [];
  // The connection that was idle longest is next, so that all of them are used.
  const idle = [...connections];
  const due: number[] = [];
  const underWay = new Set<Promise<void>>();
  const dispatch = (): void => {
    while (due.length > 0 && idle.length > 0) {
      const [dueAt, connection] = [due.shift() as number, idle.shift() as HttpConnection];
      const exchange = send(connection).then(() => {
        latencies.push(performance.now() - dueAt);
        idle.push(connection);
        underWay.delete(exchange);
        dispatch();
      });
      underWay.add(exchange);
    }
  };
  const interval = 1_000 / (order.perSecond ?? 1);
  for (let next = started; next < started + order.ms; ) {
    for (const now = performance.now(); next <= now; next += interval) due.push(next);
    dispatch();
    await wait(1);
  }
  while (underWay.size > 0) await Promise.all(underWay);
  return latencies;
}

async function openConnections(url: URL, count: number): Promise<HttpConnection[]> {
  const connections: HttpConnection[] = [];
  // Fewer at a time than a server's backlog holds.
  while (connections.length < count) {
    const some = Math.min(100, count - connections.length);
    connections.push(...(await Promise.all(Array.from({ length: some }, () => openConnection(url)))));
  }
  return connections;
}

async function fulfil(order: LoadOrder): Promise<void> {
  const connections = await openConnections(new URL(order.url), order.connections);
  process.send?.('ready');
  await once(process, 'message');
  const started = performance.now();
  const latencies = await (order.perSecond === null ? closedLoad : openLoad)(order, connections, started);
  const tookMs = performance.now() - started;
  for (const connection of connections) connection.close();
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] as number;
  const result: LoadResult = { count: latencies.length, tookMs, p50: quantile(0.5), p99: quantile(0.99) };
  process.send?.(result);
}

for (;;) {
  const [order] = await once(process, 'message');
  await fulfil(order as LoadOrder);
}
