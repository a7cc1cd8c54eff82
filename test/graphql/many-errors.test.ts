/** Pages of a service that lack something in every item. */
import { expect, test } from 'vitest';
import { ServiceError } from '../../src/kernel/errors.ts';
import { graphql } from '../support/gateway.ts';
import { json, proxyTo, startStub } from '../support/stub.ts';

const count = 1_500;

test.each(['on', 'off'])(
  'a response reports its first errors, and the log each kind once: COMPILED_OPERATIONS=%s',
  async (compiled) => {
    const attachment = { id: 'a', type: 'img' };
    const post = {
      object: 'Post',
      provider: 'PNET',
      id: 'p',
      attachments: Array.from({ length: count }, () => attachment),
    };
    const page = { object: 'PostList', items: [post], cursor: null, paging: { page_count: 1 } };
    const stub = await startStub((_request, response) => json(response, 200, page));
    const { address, log } = await proxyTo(stub, { environment: { COMPILED_OPERATIONS: compiled } });
    const query = `{ posts(accountId: "a", identifier: "b", first: 1) { nodes { ... on PnetPost {
    attachments { url isUnavailable } text } } } }`;
    const { errors } = await graphql(address, 'key', query);
    expect(errors).toHaveLength(101);
    expect(errors.at(-1)).toMatchObject({
      message: `There are ${count + 1 - 100} more errors.`,
      extensions: { code: 'PROVIDER_ERROR' },
    });
    const lines = log.filter(({ level, msg }) => Number(level) >= 50 || msg === 'more errors in the response');
    expect(lines.length).toBeLessThan(5);
  },
);

test('a refusal has no stack, of which a response would make thousands; a failure that is logged has one', () => {
  const { stackTraceLimit } = Error;
  const frames = (error: Error) => error.stack?.split('\n').length;
  expect(frames(new ServiceError('invalid_parameters'))).toBe(1);
  expect(frames(new ServiceError('unexpected_error'))).toBeGreaterThan(1);
  expect(frames(new ServiceError('provider_error'))).toBeGreaterThan(1);
  expect(Error.stackTraceLimit).toBe(stackTraceLimit);
});
