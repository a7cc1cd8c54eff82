/** Responses that HTTP allows although nobody asked for them, of the service and of receivers. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { classify } from '../../src/delivery/retry-policy.ts';
import { addressRule, readBlocks } from '../../src/net/addresses.ts';
import { createOutbound } from '../../src/net/outbound.ts';
import { listPosts, pnetPost, postList, proxyTo, webhook } from '../support/stub.ts';
import { startRawServer, type UnaskedResponse, unaskedResponses } from '../support/unasked-responses.ts';

const rows = Object.entries(unaskedResponses).map(([what, row]) => ({ what, ...row }));
const plain = unaskedResponses['nothing unasked'] as UnaskedResponse;

const publish =
  'mutation { publishJob(input: { accountId: "a1", jobId: "7", mode: FREE }) { ... on PnetJobPostingPublished { jobId state } } }';

const requests = [
  {
    kind: 'a list of posts',
    query: listPosts,
    body: postList([pnetPost('1')]),
    read: { posts: { nodes: [{ providerId: '1' }] } },
  },
  {
    kind: 'a list of webhooks',
    query: '{ webhooks(first: 1) { nodes { webhookId } } }',
    body: { object: 'WebhookList', items: [webhook('w1')], cursor: null },
    read: { webhooks: { nodes: [{ webhookId: 'w1' }] } },
  },
  {
    kind: 'a publication',
    query: publish,
    body: { object: 'PnetJobPostingPublished', job_id: '42', job_state: 'active' },
    read: { publishJob: { jobId: '42', state: 'ACTIVE' } },
  },
];

describe.each(requests)('the service, asked for $kind', ({ kind, query, body, read }) => {
  test.each(rows)('$what (RFC $by): $service', async ({ segments, service, ...how }) => {
    let unasked = true;
    const bytes = Buffer.from(JSON.stringify(body));
    const server = await startRawServer((request) =>
      request.startsWith('GET / ') || !unasked
        ? { segments: plain.segments(bytes) }
        : { segments: segments(bytes), ...how },
    );
    const gateway = await proxyTo(server);
    const sent = await gateway.ask(query);
    const calls = server.received.filter((request) => !request.startsWith('GET / ')).length;
    if (service === 'read') {
      expect(sent.errors ?? []).toEqual([]);
      expect(sent.data).toMatchObject(read);
      expect(calls).toBe(1);
    } else {
      expect(sent.errors).toHaveLength(1);
      if (kind === 'a publication') {
        expect(sent.errors[0]?.message).toContain('The outcome is unknown');
        expect(calls).toBe(1);
      }
    }
    // What was left over is no part of the next response.
    unasked = false;
    expect((await gateway.ask(query)).data).toMatchObject(read);
  });
});

describe('a receiver', () => {
  test.each(rows)('$what (RFC $by): $receiver', async ({ segments, receiver, ...how }) => {
    let unasked = true;
    const bytes = Buffer.from('{"thanks":true}');
    const server = await startRawServer(() =>
      unasked ? { segments: segments(bytes), ...how } : { segments: plain.segments(bytes) },
    );
    const outbound = createOutbound({
      allows: addressRule(readBlocks('127.0.0.0/8')),
      lookup: async () => [],
      connectTimeoutMs: 2_000,
    });
    onTestFinished(() => outbound.close());
    const deliver = async () => {
      const response = await outbound.post({
        url: new URL(server.url),
        headers: [],
        body: Buffer.alloc(1_000_000, 'an event '),
        deadlineMs: 30_000,
      });
      return { ...response, ...classify(response, { attempt: 1, random: () => 0.5, now: 0 }) };
    };
    const { outcome } = await deliver();
    expect(outcome).toBe(receiver === 'delivered' ? 'succeeded' : 'retry');
    expect(server.received).toHaveLength(1);
    unasked = false;
    const next = await deliver();
    expect(next.outcome).toBe('succeeded');
    expect(next.body.toString()).toBe('{"thanks":true}');
  });
});
