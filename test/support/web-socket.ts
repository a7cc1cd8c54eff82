/** A client of `graphql-transport-ws` that says what a test says, and tells everything that it hears. */
import { once } from 'node:events';
import { expect } from 'vitest';
import { WebSocket } from 'ws';

export interface SocketMessage {
  readonly type: string;
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read payloads of every shape
  readonly payload?: any;
}

export interface TestSocket {
  readonly socket: WebSocket;
  /** In their order. */
  readonly messages: SocketMessage[];
  say(message: object | string): void;
  /** The next message of an operation that was not asked for before. */
  next(id?: string): Promise<SocketMessage>;
  /** Sends an operation. @returns its first message */
  ask(id: string, payload: object): Promise<SocketMessage>;
  /** The code and the reason with which it closes. */
  readonly closed: Promise<readonly [code: number, reason: string]>;
}

export interface SocketOptions {
  /** The payload of `connection_init`; null to say nothing yet. */
  readonly init?: object | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocol?: string;
}

/** Connects, and waits until the gateway has acknowledged it. */
export async function openSocket(
  address: string,
  { init = {}, headers = {}, protocol = 'graphql-transport-ws' }: SocketOptions = {},
): Promise<TestSocket> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, protocol, { headers });
  const messages: SocketMessage[] = [];
  const heard = new Map<string | undefined, number>();
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  const closed = once(socket, 'close').then(([code, reason]) => [code, String(reason)] as const);
  await once(socket, 'open');
  const say = (message: object | string) =>
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  const next = async (id?: string) => {
    const at = heard.get(id) ?? 0;
    heard.set(id, at + 1);
    const found = () => messages.filter((each) => each.id === id)[at];
    await expect.poll(found).toBeDefined();
    return found() as SocketMessage;
  };
  if (init !== null) {
    say({ type: 'connection_init', payload: init });
    expect(await next()).toEqual({ type: 'connection_ack' });
  }
  return {
    socket,
    messages,
    say,
    next,
    ask(id, payload) {
      say({ type: 'subscribe', id, payload });
      return next(id);
    },
    closed,
  };
}
