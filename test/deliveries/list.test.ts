/** Reading deliveries over GraphQL, on every database and in front of a service. */
import { describe, expect, it } from 'vitest';
import { deliverySetUps } from '../support/deliveries.ts';
import { startDeliveriesOverGraphQL, stateDocument } from '../support/deliveries-graphql.ts';
import { oddTimes } from '../support/odd-times.ts';

describe.each(deliverySetUps)('deliveries on $name', (dialect) => {
  it('are listed and counted by event, account, state and time', async () => {
    const { gateway, ask, act, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const [one, two] = [gateway.accountId, await gateway.space.account()];
    const webhookId = await createWebhook({ source: 'ACCOUNT_STATUS' });
    const other = await createWebhook({ source: 'ACCOUNT_STATUS' });
    const started = gateway.clock.now.getTime();
    const made: { event: string; accountId: string; at: number }[] = [];
    for (let n = 0; n < 8; n += 1) {
      const each = { event: n % 2 === 0 ? 'OK' : 'STOPPED', accountId: n < 4 ? one : two, at: started + n * 1_000 };
      gateway.clock.now = new Date(each.at);
      await act('emitEvent', { accountId: each.accountId, event: each.event });
      made.unshift(each);
    }
    await gateway.delivery.worker.idle();
    const moment = (n: number) => new Date(started + n * 1_000).toISOString();
    const rows: [string, (each: (typeof made)[number]) => boolean][] = [
      ['', () => true],
      ['events: OK', ({ event }) => event === 'OK'],
      ['events: [OK, STOPPED, ERROR]', () => true],
      ['events: ERROR', () => false],
      [`accountId: "${two}"`, ({ accountId }) => accountId === two],
      [`since: "${moment(3)}"`, ({ at }) => at >= started + 3_000],
      [`until: "${moment(3)}"`, ({ at }) => at < started + 3_000],
      [`since: "${moment(2)}", until: "${moment(6)}"`, ({ at }) => at >= started + 2_000 && at < started + 6_000],
      [`accountId: "${one}", events: STOPPED, states: SUCCEEDED`, (e) => e.accountId === one && e.event === 'STOPPED'],
      ['states: [PENDING, HELD]', () => false],
      // 3.0001 s, with an offset and in the basic form: a delivery of 3 s is before it.
      [`since: "${moment(3).replace(/[-:]/g, '').replace('Z', '1+0000')}"`, ({ at }) => at > started + 3_000],
      [`until: "${moment(3).replace('Z', '1-00:00')}"`, ({ at }) => at <= started + 3_000],
    ];
    const list = (args: string, id = webhookId) =>
      ask(`{ webhook(webhookId: "${id}") { deliveries(first: 3 ${args}) {
        totalCount nodes { event accountId createdAt } pageInfo { hasNextPage endCursor } } } }`);
    for (const [args, fits] of rows) {
      const expected = made.filter(fits).map(({ at, ...each }) => ({ ...each, createdAt: new Date(at).toISOString() }));
      const seen: unknown[] = [];
      for (let after = '', more = true; more; ) {
        const { data, errors } = await list(`${args} ${after}`);
        expect(errors).toEqual([]);
        const { totalCount, nodes, pageInfo } = data.webhook.deliveries;
        expect({ args, totalCount }).toEqual({ args, totalCount: expected.length });
        seen.push(...nodes);
        [after, more] = [`after: "${pageInfo.endCursor}"`, pageInfo.hasNextPage];
      }
      expect({ args, seen }).toEqual({ args, seen: expected });
    }

    const cursor = (await list('events: OK')).data.webhook.deliveries.pageInfo.endCursor;
    for (const [args, id] of [
      ['', webhookId],
      ['events: STOPPED', webhookId],
      [`events: OK, since: "${moment(0)}"`, webhookId],
      ['events: OK', other],
    ] as const) {
      const { errors } = await list(`${args} after: "${cursor}"`, id);
      expect(errors).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS', issues: [{ path: ['after'] }] } }]);
    }
    for (const [sent, told] of oddTimes.filter(([text]) => text.length < 200)) {
      const { errors } = await list(`since: ${JSON.stringify(sent)}, until: ${JSON.stringify(sent)}`);
      const issues = [{ path: ['since'] }, { path: ['until'] }];
      expect(errors, sent).toMatchObject(told === null ? [{ extensions: { code: 'INVALID_PARAMETERS', issues } }] : []);
    }

    const limited = await gateway.space.newKey({ accountIds: [one] });
    const counted = (args: string) =>
      ask(`{ webhook(webhookId: "${webhookId}") { deliveries${args} { totalCount } } }`, {}, limited);
    expect((await counted('')).data.webhook.deliveries.totalCount).toBe(4);
    expect((await counted(`(accountId: "${two}")`)).errors).toMatchObject([
      { path: ['webhook', 'deliveries'], extensions: { code: 'ACCOUNT_MISMATCH' } },
    ]);
    const attempts = await ask(
      `{ webhook(webhookId: "${webhookId}") { deliveries(first: 1) { nodes { attemptCount attempts { nodes { number } } } } } }`,
    );
    expect(attempts.data.webhook.deliveries.nodes).toEqual([{ attemptCount: 1, attempts: { nodes: [{ number: 1 }] } }]);
  });

  it('are invisible to other workspaces, and to keys limited to other accounts', async () => {
    const { gateway, ask, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    const webhookId = await createWebhook();
    const {
      deliveries: [deliveryId],
    } = await gateway.emit('a');
    await gateway.delivery.worker.idle();
    const find = 'query F($id: ID!) { delivery(deliveryId: $id) { deliveryId } }';
    expect((await ask(find, { id: deliveryId })).data.delivery).toEqual({ deliveryId });
    // Where all keys share a workspace, there is no other.
    if (!dialect.isFronting)
      expect((await ask(find, { id: deliveryId }, (await gateway.workspace()).key)).data.delivery).toBeNull();
    const limited = await gateway.space.newKey({ accountIds: [await gateway.space.account()] });
    expect((await ask(find, { id: deliveryId }, limited)).data.delivery).toBeNull();
    expect((await ask(stateDocument, { webhookId }, limited)).data.webhook.deliveries.nodes).toEqual([]);
  });
});
