/** A destination for deliveries: a real HTTP server on loopback that records requests and responds as it is told. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  readonly port: number;
  readonly received: Received[];
  /** Connections that are open. */
  readonly connections: number;
  /** How requests are answered from now on; at first with 200 and no body. */
  answer: (request: Received, response: ServerResponse, raw: IncomingMessage) => void;
  /** Resolves when `count` requests have come in, over all. */
  waitFor(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const sockets = new Set<Socket>();
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const got = { path, headers, body: Buffer.concat(chunks).toString() };
      received.push(got);
      receiver.answer(got, response, request);
      for (const check of waiting) check();
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    address: `http://127.0.0.1:${port}`,
    port,
    received,
    get connections() {
      return sockets.size;
    },
    answer: (_request, response) => void response.end(),
    waitFor: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  return receiver;
}
