/**
 * A receiver for the benches, in its own process: it responds with 200 at once, counts requests, and reports its port as
 * a message. It parses only where a request ends, so that the machine's time goes to the senders under test.
 */
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';

const endOfHead = '\r\n\r\n';
const response = `HTTP/1.1 200 OK\r\ncontent-length: 0\r\nkeep-alive: timeout=60${endOfHead}`;

let count = 0;

/** Counts the complete requests and responds to them. @returns the bytes of an incomplete one */
function serve(socket: Socket, received: Buffer, arrived: number): Buffer {
  let rest = received;
  for (;;) {
    const headEnd = rest.indexOf(endOfHead);
    if (headEnd < 0) return rest;
    const head = rest.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
    const end = headEnd + endOfHead.length + length;
    if (rest.length < end) return rest;
    rest = rest.subarray(end);
    count += 1;
    socket.write(response);
    if (head.includes('\r\nx-report: ')) process.send?.({ arrived });
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    const arrived = performance.timeOrigin + performance.now();
    rest = serve(socket, rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), arrived);
  });
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', (message) => {
  if (message === 'count') process.send?.({ count });
  if (message === 'reset') count = 0;
});
process.on('disconnect', () => process.exit());
