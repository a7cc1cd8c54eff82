/** Responses that wait for clients who do not read: they keep their own bytes, and not the kernels that printed them. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { printedResponses } from '../../src/graphql/doors/json.ts';
import type { Splice } from '../../src/splice/splicer.ts';

/** A splice that printed a text, out of so much memory. */
function splice(text: string, memory = 1_000) {
  const bytes = new Uint8Array(memory);
  bytes.set(Buffer.from(text), 10);
  let closed = 0;
  const made: Pick<Splice, 'output' | 'close'> = {
    output: () => bytes.subarray(10, 10 + text.length),
    close: () => {
      closed += 1;
      bytes.fill(0);
    },
  };
  return { splice: made as Splice, bytes, closed: () => closed };
}

/** A response whose client reads when the test says so. */
function request(closed = false) {
  const response = Object.assign(new EventEmitter(), {
    closed,
    sent: undefined as Uint8Array | undefined,
    head: undefined as unknown,
  });
  return {
    response: response as typeof response & ServerResponse,
    send(status: number, headers: object, bytes?: Uint8Array | string) {
      response.head = { status, ...headers };
      response.sent = bytes as Uint8Array;
    },
    whenClosed: (callback: () => void) => void response.once('close', callback),
  };
}

test('a response is sent out of the memory of its kernel, which is closed with it', () => {
  const printed = splice('{"data":{}}');
  const sent = request();
  printedResponses()(sent, 'application/json', printed.splice);
  expect(sent.response.head).toEqual({ status: 200, 'content-type': 'application/json', 'content-length': 11 });
  expect(sent.response.sent?.buffer).toBe(printed.bytes.buffer);
  expect(printed.closed()).toBe(0);
  sent.response.emit('close');
  expect(printed.closed()).toBe(1);
});

test('only a few wait like this: the bytes of others are copied', () => {
  const send = printedResponses();
  const waiting = Array.from({ length: 64 }, () => ({ printed: splice('waits'), sent: request() }));
  for (const { printed, sent } of waiting) send(sent, 'application/json', printed.splice);
  expect(waiting.every(({ printed }) => printed.closed() === 0)).toBe(true);

  const printed = splice('copied');
  const sent = request();
  send(sent, 'application/json', printed.splice);
  expect(printed.closed()).toBe(1);
  expect(Buffer.from(sent.response.sent ?? []).toString()).toBe('copied');
  sent.response.emit('close');
  expect(printed.closed()).toBe(1);

  waiting[0]?.sent.response.emit('close');
  const next = splice('waits again');
  send(request(), 'application/json', next.splice);
  expect(next.closed()).toBe(0);
});

test('a kernel with a large memory does not wait', () => {
  const printed = splice('small', 8 * 1_024 * 1_024);
  const sent = request();
  printedResponses()(sent, 'application/json', printed.splice);
  expect(printed.closed()).toBe(1);
  expect(Buffer.from(sent.response.sent ?? []).toString()).toBe('small');
});

test('nothing waits for a client that has gone', () => {
  const printed = splice('nobody');
  const sent = request(true);
  printedResponses()(sent, 'application/json', printed.splice);
  expect(printed.closed()).toBe(1);
  expect(sent.response.sent).toBeUndefined();
});
