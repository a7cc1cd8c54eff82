/** The stream that a subscription opens is closed again, whatever fails on the way to its first event. */
import { createYoga, type Plugin } from 'graphql-yoga';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createStreams } from '../../src/auth/streams.ts';
import type { Incoming } from '../../src/graphql/graphql-context.ts';
import { useCaller } from '../../src/graphql/plugins/caller.ts';
import { schema } from '../../src/graphql/schema.ts';
import type { IncomingRequest } from '../../src/http/incoming-request.ts';
import type { Ports } from '../../src/ports.ts';
import { requestContext } from '../support/request-context.ts';

const fail = () => {
  throw new Error('a plugin is broken');
};
const failing: readonly [string, Plugin[], Plugin[]][] = [
  ['a later step', [], [{ onSubscribe: fail }]],
  ['the execution', [{ onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(fail) }], []],
  ['a later step that refuses', [], [{ onSubscribe: (start) => start.setResultAndStopExecution({ errors: [] }) }]],
];

test.each(failing)('of a subscription where %s fails', async (_what, before, after) => {
  const logger = pino({ level: 'silent' });
  const limits = { perKey: 1, perProcess: 1 };
  const streams = createStreams({ limits, now: () => new Date(), logger, refusedKeys: null });
  const { caller, signal } = requestContext('workspace');
  // No port is reached.
  const options = {
    ports: {} as Ports,
    admit: async () => caller,
    admitKeyless: async () => {},
    cursors: {} as never,
    streams,
  };
  const yoga = createYoga<Incoming>({ schema, logging: false, plugins: [...before, useCaller(options), ...after] });
  const http = {
    id: 'test-request',
    clientAborted: signal,
    log: logger,
    addHeaders() {},
  } as unknown as IncomingRequest;
  const response = await yoga.fetch(
    'http://gateway/graphql',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { deliveryUpdated { id } }' }),
    },
    { http, body: undefined },
  );
  await response.text();
  expect(() => streams.open(caller, signal).close()).not.toThrow();
});
