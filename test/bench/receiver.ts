/** A receiver in a process of its own, for the benches: answers 200 at once and counts. Its port comes as a message. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let count = 0;
/** When the first bytes of each request came, by the `n` of its query. */
const server = createServer((request, response) => {
  const arrived = performance.timeOrigin + performance.now();
  request.resume();
  request.on('end', () => {
    count += 1;
    response.end();
    const reports = request.headers['x-report'];
    if (reports !== undefined) process.send?.({ arrived });
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', (message) => {
  if (message === 'count') process.send?.({ count });
  if (message === 'reset') count = 0;
});
process.on('disconnect', () => process.exit());
