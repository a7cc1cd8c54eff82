/** An upstream service of a test's own: a bare HTTP server that answers as it is told, well or badly. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (request: Received, response: ServerResponse) => void;

export interface Stub {
  readonly url: string;
  /** What it was asked, in order; questions whether anybody is there are left out. */
  readonly received: Received[];
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
  /** Connections that were ever made. */
  readonly connections: number;
  /** How it answers from now on. */
  answer: Answer;
  close(): Promise<void>;
}

/** Starts a service that ends with the test. */
export async function startStub(answer: Answer = () => {}): Promise<Stub> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'HEAD') return response.writeHead(404).end();
      const { method = '', url: path = '', headers } = request;
      const asked = { method, path, headers, body: Buffer.concat(chunks).toString() };
      received.push(asked);
      stub.answer(asked, response);
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stub: Stub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    sockets,
    get connections() {
      return connections;
    },
    answer,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  onTestFinished(() => stub.close());
  return stub;
}

/** Answers JSON. */
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
