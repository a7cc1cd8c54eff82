/**
 * The receivers of the delivery bench, in a process of their own: ports that respond with 200, at once or after a delay.
 * They parse only where a request ends, so that the machine's time goes to the senders.
 *
 *   receiver.ts <ports> <milliseconds before a response>
 */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';

/** What the bench waits for. */
export interface Expectation {
  /** So many requests from now on. */
  readonly count: number;
  /** Whether to note when each of them arrived. */
  readonly noteArrivals: boolean;
}

/** The requests that were expected have arrived. */
export interface Arrived {
  /** Epoch milliseconds of the first byte of each event, with its number. */
  readonly arrivals: readonly (readonly [n: number, at: number])[];
  /** The first request, byte for byte. */
  readonly first: string;
}

const [ports = 1, delayMs = 0] = process.argv.slice(2).map(Number);
const endOfHead = '\r\n\r\n';
const response = `HTTP/1.1 200 OK\r\ncontent-length: 0\r\nkeep-alive: timeout=60${endOfHead}`;

let expected: Expectation = { count: 0, noteArrivals: false };
let count = 0;
let first = '';
let arrivals: [number, number][] = [];

function note(request: Buffer, arrived: number): void {
  count += 1;
  if (count === 1) first = request.toString();
  if (expected.noteArrivals) arrivals.push([Number(/"n":"(\d+)"/.exec(request.toString())?.[1]), arrived]);
  if (count === expected.count) process.send?.({ arrivals, first } satisfies Arrived);
}

/** Notes the complete requests and responds to them. @returns the bytes of an incomplete one */
function serve(socket: Socket, received: Buffer, arrived: number): Buffer {
  let rest = received;
  for (;;) {
    const headEnd = rest.indexOf(endOfHead);
    if (headEnd < 0) return rest;
    const head = rest.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const end = headEnd + endOfHead.length + length;
    if (rest.length < end) return rest;
    note(rest.subarray(0, end), arrived);
    rest = rest.subarray(end);
    if (delayMs > 0) setTimeout(() => socket.write(response), delayMs);
    else socket.write(response);
  }
}

const listen = async (): Promise<string> => {
  const server = createServer({ noDelay: true }, (socket) => {
    let rest: Buffer = Buffer.alloc(0);
    let began = 0;
    socket.on('data', (chunk: Buffer) => {
      const at = performance.timeOrigin + performance.now();
      if (rest.length === 0) began = at;
      rest = serve(socket, rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), began);
    });
    socket.on('error', () => socket.destroy());
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
};

process.on('message', (message: Expectation | 'count') => {
  if (message === 'count') return process.send?.(count);
  expected = message;
  count = 0;
  arrivals = [];
  return process.send?.('expecting');
});
process.on('disconnect', () => process.exit());
process.send?.(await Promise.all(Array.from({ length: ports }, listen)));
