/** The receiver of the sandbox: what each of its paths does to a new delivery, and to one that is retried. */
import { expect, test } from 'vitest';
import { retryDelays } from '../../../src/delivery/retry-policy.ts';
import { type ReceiverPath, receiverPaths, receiverResponse } from '../../../src/providers/sandbox/receiver.ts';

/** The status, or why there is none, of a new delivery and of the first retry. */
const outcomes: Readonly<Record<ReceiverPath, readonly [number | string, number | string]>> = {
  ok: [200, 200],
  flaky: [503, 200],
  busy: [429, 200],
  failing: [500, 500],
  gone: [410, 410],
  timeout: ['timeout', 'timeout'],
  down: ['connection_failed', 'connection_failed'],
};

const [firstDelay = 0] = retryDelays;

test.each(Object.entries(outcomes))('/%s: %j', (path, [first, retried]) => {
  // The shortest wait is a fifth less, or what the response asks for. A timestamp has whole seconds.
  const asked = Number(receiverResponse(`/${path}`, 0).retryAfter ?? 0) * 1_000;
  const age = Math.max(firstDelay * 0.8, asked) - 999;
  const outcomeAt = (milliseconds: number) => {
    const { status, failure } = receiverResponse(`/${path}`, milliseconds);
    return status ?? failure;
  };
  expect([outcomeAt(-999), outcomeAt(1_000), outcomeAt(age)]).toEqual([first, first, retried]);
});

test('has the paths of the table, and no others', () => {
  expect(Object.keys(receiverPaths)).toEqual(Object.keys(outcomes));
  for (const path of ['/', '/nothing', '/toString', '/ok/', '/ok/further'])
    expect(receiverResponse(path, 0).status).toBe(404);
});
