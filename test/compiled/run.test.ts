/** A response that is as large as the memory of the kernel: it is printed to its end, or refused. */

import { getOperationAST, parse } from 'graphql';
import { expect, test, vi } from 'vitest';
import { upstreamPosts } from '../../src/capabilities/posts/upstream.ts';
import { compileOperation } from '../../src/graphql/executors/compiled/operation.ts';
import { encodeOperation } from '../../src/graphql/executors/compiled/plans.ts';
import { compiled, runCompiled } from '../../src/graphql/executors/compiled/run.ts';
import { Declined } from '../../src/graphql/executors/declined.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import { nothingSpent } from '../../src/kernel/request-context.ts';
import { createSplicer } from '../../src/splice/splicer.ts';
import { listsReader, testCursors } from '../support/lists-reader.ts';
import { schema } from '../support/schema.ts';
import { pnetPost, postList } from '../support/stub.ts';
import { upstreamOfBodies } from '../support/upstream-of-bodies.ts';

const splicer = createSplicer({ maxBytes: 128 * 1_024 });

const list = (more: string) =>
  `{ posts(accountId: "a1", identifier: "ACo1") { nodes { ... on PnetPost { text ${more} } } } __typename }`;

/** @returns the response with posts whose texts have so many characters; undefined if it is refused */
async function responseWith(query: string, characters: number): Promise<unknown> {
  const body = Buffer.from(JSON.stringify(postList([pnetPost('1', { text: 'x'.repeat(characters) })])));
  const ports = { posts: upstreamPosts(upstreamOfBodies(() => body)), serviceJudges: () => true } as unknown as Ports;
  const document = parse(query);
  const node = getOperationAST(document, null);
  if (!node) throw new Error('The document has no operation');
  const operation = encodeOperation(compileOperation(schema, ports, document, node, {}));
  const context = {
    caller: listsReader,
    requestId: 'request',
    spent: nothingSpent(),
    signal: new AbortController().signal,
    ports,
    cursors: testCursors,
  };
  try {
    const splice = await runCompiled(operation, {}, context, splicer);
    const response: unknown = JSON.parse(Buffer.from(splice.output()).toString());
    splice.close();
    return response;
  } catch (error) {
    if (error instanceof Declined && error.reason === 'too_large') return undefined;
    throw error;
  }
}

test.each([
  ['a page', list(''), (text: string) => ({ text })],
  [
    'pages of lists within a list',
    list('author { posts(first: 1) { nodes { ... on PnetPost { text } } } }'),
    (text: string) => ({ text, author: { posts: { nodes: [{ text }] } } }),
  ],
])('whatever is not refused can be read to its end: %s', async (_what, query, postWith) => {
  let [fits, refused] = [0, 128 * 1_024];
  while (refused - fits > 1) {
    const size = (fits + refused) >> 1;
    const response = await responseWith(query, size);
    if (response === undefined) refused = size;
    else fits = size;
    const nodes = [postWith('x'.repeat(size))];
    expect([undefined, { data: { posts: { nodes }, __typename: 'Query' } }]).toContainEqual(response);
  }
  expect(fits).toBeGreaterThan(10_000);
});

test('a failure of an operation whose client has gone is not logged, and nothing else executes it', () => {
  const warn = vi.fn();
  const executor = compiled({ ports: {}, cursors: {}, maxResponseBytes: 1, logger: { warn } } as never);
  const planFor = () => {
    throw new Error('The database is closed');
  };
  const execute = (clientAborted: AbortSignal) =>
    executor({
      operation: { plans: { planFor } },
      caller: {},
      values: {},
      http: { facts: {}, clientAborted },
    } as never);
  const here = new AbortController();
  expect(execute(here.signal)).toMatchObject({ reason: 'failed' });
  expect(warn).toHaveBeenCalledOnce();
  here.abort();
  expect(() => execute(here.signal)).toThrow('abort');
  expect(warn).toHaveBeenCalledOnce();
});
