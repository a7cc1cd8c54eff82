import { describe, expect, test } from 'vitest';
import { json, proxyTo, type Stub, startStub, webhook } from '../support/stub.ts';

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
    const gateway = await proxyTo(stub);
    const { data, errors } = await gateway.ask(
      '{ a: webhook(webhookId: "w0") { webhookId } b: webhook(webhookId: "v2") { webhookId } c: webhook(webhookId: "w0") { id } }',
    );
    expect(errors).toEqual([]);
    expect([data.a.webhookId, data.b.webhookId]).toEqual(['w0', 'v2']);
    expect(stub.received).toHaveLength(3);
    const node = await gateway.ask('query ($id: ID!) { node(id: $id) { __typename id } }', { id: data.c.id });
    expect(node.data.node).toEqual({ __typename: 'Webhook', id: data.c.id });
  });

  test('returns null for an id that the list does not have, and an error if the list is too long to tell', async () => {
    const stub = await startStub(pages(10));
    const gateway = await proxyTo(stub);
    expect((await gateway.ask(find, { id: 'nobody' })).data).toEqual({ webhook: null });
    stub.respond = pages(11);
    const { data, errors } = await gateway.ask(
      '{ a: webhook(webhookId: "w1") { webhookId } b: webhook(webhookId: "w10") { webhookId } }',
    );
    expect(data).toEqual({ a: { webhookId: 'w1' }, b: null });
    expect(errors[0]?.extensions.code).toBe('LIMIT_TOO_HIGH');
  });
});

describe('a filtered list', () => {
  /** A webhook of e-mail in every eleventh place, on pages of 250. */
  const rare: Stub['respond'] = (request, response) => {
    const query = new URL(request.path, 'http://x').searchParams;
    expect([...query.keys()].filter((key) => !['limit', 'cursor'].includes(key))).toEqual([]);
    const from = Number(query.get('cursor') ?? 0);
    const places = Array.from({ length: Math.min(Number(query.get('limit')), total - from) }, (_, n) => from + n);
    const next = from + places.length;
    const items = places.map((n) => webhook(`w${n}`, { events: [n % every === 10 ? 'mail_sent' : 'new_relation'] }));
    json(response, 200, { object: 'WebhookList', items, cursor: next < total ? String(next) : null });
  };
  const total = 2_600;
  const every = 1_100;

  test('misses nothing where the service cannot filter: a page may be short, with hasNextPage', async () => {
    const stub = await startStub(rare);
    const gateway = await proxyTo(stub);
    const list = `query ($after: String) { webhooks(sources: EMAIL, first: 1, after: $after) {
      edges { cursor node { webhookId } } pageInfo { hasNextPage endCursor } } }`;
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { data, errors } = await gateway.ask(list, { after });
      expect(errors).toEqual([]);
      const { edges, pageInfo } = data.webhooks;
      sizes.push(edges.length);
      for (const { cursor, node } of edges) {
        seen.push(node.webhookId);
        // After any edge the list goes on where it was.
        expect(cursor).toBe(pageInfo.endCursor);
      }
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    expect(seen).toEqual(['w10', 'w1110', 'w2210']);
    expect(sizes).toContain(0);
    // No page is read more than twice: at its end, and from a cursor within it.
    expect(stub.received.length).toBeLessThan(2 * Math.ceil(total / 250));
  });

  test('is one call for several filters of one page', async () => {
    const stub = await startStub(rare);
    const gateway = await proxyTo(stub);
    const { data, errors } = await gateway.ask(`{
      mail: webhooks(sources: EMAIL, first: 1) { nodes { webhookId } }
      others: webhooks(events: NEW_RELATION, isEnabled: true, first: 2) { nodes { webhookId } }
      whose: webhooks(accountId: "anyone", first: 1) { nodes { webhookId } }
    }`);
    expect(errors).toEqual([]);
    expect(data).toEqual({
      mail: { nodes: [{ webhookId: 'w10' }] },
      others: { nodes: [{ webhookId: 'w0' }, { webhookId: 'w1' }] },
      whose: { nodes: [{ webhookId: 'w0' }] },
    });
    expect(stub.received).toHaveLength(1);
  });
});

describe('a list without a field of the contract', () => {
  test.each(Object.keys(webhook('w')))('%s is read once', async (field) => {
    const items = Array.from({ length: 5 }, (_, n) => ({ ...webhook(`w${n}`), [field]: undefined }));
    const stub = await startStub((_request, response) =>
      json(response, 200, { object: 'WebhookList', items, cursor: 'next' }),
    );
    const gateway = await proxyTo(stub);
    const { data } = await gateway.ask(
      '{ webhooks(first: 5) { nodes { __typename webhookId accounts { accountId } headers { key } data { name } events } } }',
    );
    expect(data.webhooks.nodes).toHaveLength(5);
    expect(stub.received).toHaveLength(1);
  });
});
