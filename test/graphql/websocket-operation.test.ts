import { pino } from 'pino';
import { expect, test } from 'vitest';
import { SocketOperation } from '../../src/graphql/doors/websocket-operation.ts';
import type { SocketOpening } from '../../src/http/web-socket.ts';

function operationOf(): SocketOperation {
  const opening: SocketOpening = {
    id: 'opening',
    headers: {},
    path: '/graphql',
    httpVersion: '1.1',
    ip: '127.0.0.1',
    log: pino({ level: 'silent' }),
    elapsedTime: 0,
  };
  return new SocketOperation({ opening, route: '/graphql' }, 1, {}, {});
}

test('is aborted once a message did not reach its client, whatever is said later', async () => {
  const operation = operationOf();
  await operation.sending(3, Promise.resolve(false));
  operation.close('finished');
  expect(operation.isFinished).toBe(false);
  expect(operation.clientAborted.aborted).toBe(true);
});

test('is finished when all of its messages were sent', async () => {
  const operation = operationOf();
  await operation.sending(3, Promise.resolve(true));
  expect(operation.isOver).toBe(false);
  operation.close('finished');
  expect(operation.isFinished).toBe(true);
  expect(operation.clientAborted.aborted).toBe(false);
});
