/** The stream that a subscription opens is closed again, whatever fails on the way to its first event. */

import { buildSchema, type GraphQLSchema } from 'graphql';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createStreams } from '../../src/auth/streams.ts';
import { createLoaders } from '../../src/capabilities/loaders.ts';
import { rememberedDocuments } from '../../src/graphql/documents/known-documents.ts';
import { Exchange } from '../../src/graphql/exchange.ts';
import { subscribe } from '../../src/graphql/executors/subscribe.ts';
import type { IncomingRequest } from '../../src/http/incoming-request.ts';
import { createFairTurns } from '../../src/kernel/lib/fair-turns.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import { requestContext } from '../support/request-context.ts';

const logger = pino({ level: 'silent' });
const { caller, signal } = requestContext('workspace');

function served(start: () => unknown): GraphQLSchema {
  const schema = buildSchema('type Query { a: Int } type Subscription { events: Int }');
  const events = schema.getSubscriptionType()?.getFields().events;
  if (events !== undefined) events.subscribe = start;
  return schema;
}

const broken = () => {
  throw new Error('broken');
};

test.each<readonly [what: string, GraphQLSchema, ports: () => Ports]>([
  ['the field refuses', served(broken), () => ({}) as Ports],
  ['the field has no events', served(() => null), () => ({}) as Ports],
  ['the context cannot be made', served(broken), broken],
])('of a subscription where %s', async (_what, schema, ports) => {
  const streams = createStreams({
    limits: { perKey: 1, perWorkspace: 1, perProcess: 1 },
    now: () => new Date(),
    logger,
    refusedKeys: null,
  });
  const exchange = new Exchange({ id: 'test', clientAborted: signal, facts: {}, response: {} } as IncomingRequest, {
    maxCost: 1,
    turns: createFairTurns(),
  });
  const documentOf = rememberedDocuments({ schema, introspection: false, compiling: null });
  const operation = documentOf('subscription { events }').find(null);
  if (operation === undefined) throw new Error('The document has no operation');
  Object.assign(exchange, { caller, operation });
  const options = {
    schema,
    streams,
    turns: createFairTurns(),
    cursors: {} as never,
    storedResponses: null,
    maxResponseBytes: 1_000_000,
    createLoaders,
    get ports() {
      return ports();
    },
  };
  const execute = async () => subscribe(options)(exchange);
  await execute().catch(() => null);
  expect(streams.count('subscription')).toBe(0);
  expect(() => streams.open(caller, signal).close()).not.toThrow();
});
