/** How pages read subscriptions. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { eventStream } from '../../src/client/event-stream.ts';

let cancelled: boolean;
let send: (text: string) => void;
let results: AsyncGenerator<unknown>;

beforeEach(() => {
  vi.useFakeTimers();
  cancelled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      send = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
    cancel() {
      cancelled = true;
    },
  });
  results = eventStream(body);
});
afterEach(() => vi.useRealTimers());

it('reads results however late they are, as long as the gateway shows that it is there', async () => {
  const next = results.next();
  for (let seconds = 0; seconds < 120; seconds += 12) {
    await vi.advanceTimersByTimeAsync(12_000);
    send(':\n\n');
  }
  send('event: next\ndata: {"data":{"a":1}}\n\n');
  await expect(next).resolves.toEqual({ done: false, value: { data: { a: 1 } } });
});

it('leaves a connection over which nothing comes', async () => {
  const next = results.next();
  const failed = expect(next).rejects.toThrow('silent');
  await vi.advanceTimersByTimeAsync(30_000);
  await failed;
  expect(cancelled).toBe(true);
});
