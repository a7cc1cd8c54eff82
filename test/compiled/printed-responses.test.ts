/** Responses that wait for clients who do not read: they keep their own bytes, and not the kernels that printed them. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { heldKernels } from '../../src/graphql/doors/json-response.ts';
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
  const response = Object.assign(new EventEmitter(), { closed });
  return {
    response: response as typeof response & ServerResponse,
    whenClosed: (callback: () => void) => void response.once('close', callback),
  };
}

test('a response is sent out of the memory of its kernel, which is closed with it', () => {
  const printed = splice('{"data":{}}');
  const sent = request();
  const bytes = heldKernels()(sent, printed.splice);
  expect(Buffer.from(bytes).toString()).toBe('{"data":{}}');
  expect(bytes.buffer).toBe(printed.bytes.buffer);
  expect(printed.closed()).toBe(0);
  sent.response.emit('close');
  expect(printed.closed()).toBe(1);
});

test('only a few wait like this: the bytes of others are copied', () => {
  const hold = heldKernels();
  const waiting = Array.from({ length: 64 }, () => ({ printed: splice('waits'), sent: request() }));
  for (const { printed, sent } of waiting) hold(sent, printed.splice);
  expect(waiting.every(({ printed }) => printed.closed() === 0)).toBe(true);

  const printed = splice('copied');
  const sent = request();
  const bytes = hold(sent, printed.splice);
  expect(printed.closed()).toBe(1);
  expect(Buffer.from(bytes).toString()).toBe('copied');
  sent.response.emit('close');
  expect(printed.closed()).toBe(1);

  waiting[0]?.sent.response.emit('close');
  const next = splice('waits again');
  hold(request(), next.splice);
  expect(next.closed()).toBe(0);
});

test('a kernel with a large memory does not wait', () => {
  const printed = splice('small', 8 * 1_024 * 1_024);
  const bytes = heldKernels()(request(), printed.splice);
  expect(printed.closed()).toBe(1);
  expect(Buffer.from(bytes).toString()).toBe('small');
});

test('nothing waits for a client that has gone', () => {
  const printed = splice('nobody');
  heldKernels()(request(true), printed.splice);
  expect(printed.closed()).toBe(1);
});
