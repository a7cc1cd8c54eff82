import { describe, expect, test } from 'vitest';
import { gatewayInFrontOf, json, type Stub, startStub, webhook } from '../support/stub.ts';

describe('find', () => {
  const pages =
    (count: number): Stub['respond'] =>
    (request, response) => {
      const page = Number(new URL(request.path, 'http://x').searchParams.get('cursor') ?? 0);
      const cursor = page + 1 < count ? String(page + 1) : null;
      json(response, 200, { object: 'WebhookList', items: [webhook(`w${page}`), webhook(`v${page}`)], cursor });
    };
  const find = 'query ($id: ID!) { webhook(webhookId: $id) { webhookId } }';

  test('reads the list page by page, once for all ids together', async () => {
    const stub = await startStub(pages(4));
    const gateway = await gatewayInFrontOf(stub);
    const { data, errors } = await gateway.ask(
      '{ a: webhook(webhookId: "w0") { webhookId } b: webhook(webhookId: "v2") { webhookId } c: webhook(webhookId: "w0") { id } }',
    );
    expect(errors).toEqual([]);
    expect([data.a.webhookId, data.b.webhookId]).toEqual(['w0', 'v2']);
    expect(stub.received).toHaveLength(3);
    const node = await gateway.ask('query ($id: ID!) { node(id: $id) { __typename id } }', { id: data.c.id });
    expect(node.data.node).toEqual({ __typename: 'AutoWebhook', id: data.c.id });
  });

  test('returns null for an id that the list does not have, and an error if the list is too long to tell', async () => {
    const stub = await startStub(pages(10));
    const gateway = await gatewayInFrontOf(stub);
    expect((await gateway.ask(find, { id: 'nobody' })).data).toEqual({ webhook: null });
    stub.respond = pages(11);
    const { data, errors } = await gateway.ask(
      '{ a: webhook(webhookId: "w1") { webhookId } b: webhook(webhookId: "w10") { webhookId } }',
    );
    expect(data).toEqual({ a: { webhookId: 'w1' }, b: null });
    expect(errors[0]?.extensions.type).toBe('errors/limit_too_high');
  });
});
