/** Clients that go in the middle of a request: they are no failure of the gateway. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { IncomingRequest } from '../../src/http/incoming-request.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  key = (await gateway.workspace()).key;
});
afterAll(() => gateway.close());

/** Where a body is read. */
const paths = ['/graphql', '/v1/webhooks'];
const lengths = ['content-length: 100\r\n\r\n', 'transfer-encoding: chunked\r\n\r\n64\r\n'];
const departures = ['destroy', 'resetAndDestroy', 'end'] as const;
const cases = paths.flatMap((path) =>
  lengths.flatMap((length) => departures.map((leave) => ({ path, length, leave }))),
);

test.each(cases)('a body that breaks off is no error: $path, $length, $leave', async ({ path, length, leave }) => {
  gateway.log.length = 0;
  const arrived = new Promise((resolve) => gateway.app.server.server.once('request', resolve));
  const socket = connect(Number(new URL(gateway.address).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n${length}{"query":`,
  );
  await arrived;
  socket[leave]();
  await expect
    .poll(() => gateway.log.filter(({ method }) => method === 'POST'))
    .toMatchObject([{ msg: 'request', aborted: true, path }]);
  for (const line of gateway.log) expect(line).toMatchObject({ level: 30 });
});

test('a body with an error in a later packet is refused in the way of its endpoint', async () => {
  const statuses = { 'PATCH /v1/pnet/jobs/2001': 422, 'POST /v1/webhooks': 400, 'POST /graphql': 400 };
  for (const [line, status] of Object.entries(statuses)) {
    const arrived = once(gateway.app.server.server, 'request');
    const socket = connect(Number(new URL(gateway.address).port), '127.0.0.1').setEncoding('latin1');
    socket.write(
      `${line} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n` +
        'transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n',
    );
    await arrived;
    socket.write('zz\r\n');
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text, line).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  }
});

test.each(lengths)(
  'a body of which nobody asked before it broke off is an error, and not awaited: %j',
  async (length) => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const received = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${length}{"query":`);
    const [raw, response] = await received;
    const options = { logger: pino({ level: 'silent' }), isTrustedProxy: () => false };
    const [request, early] = [1, 2].map(() => new IncomingRequest(raw, response, options));
    const asked = expect(early?.body()).rejects.toMatchObject({ type: 'errors/malformed_request' });
    const gone = new Promise((resolve) => raw.once('close', resolve));
    socket.destroy();
    await gone;
    await expect(request?.body()).rejects.toMatchObject({ type: 'errors/malformed_request' });
    await asked;
  },
);
