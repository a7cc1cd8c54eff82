/** Clients that go in the middle of a request: they are no failure of the gateway. */
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
