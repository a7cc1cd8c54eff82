/** Notices: who is told that a webhook was disabled, that no notice is lost, and that they end. */
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { notices } from '../../src/delivery/notices.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const setNotices = /* GraphQL */ `
  mutation SetNotices($webhookId: ID!, $receives: Boolean!) {
    updateWebhook(input: { webhookId: $webhookId, receivesNotices: $receives }) {
      __typename
      ... on WebhookUpdated { webhook { receivesNotices } }
      ... on ServiceError { code message }
    }
  }
`;

describe.each(databases)('on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let receiver: Receiver;

  beforeEach(async () => {
    [gateway, receiver] = await Promise.all([startDelivering({ dialect }), startReceiver()]);
    receiver.answer = ({ path }, response) => void response.writeHead(path === '/gone' ? 410 : 200).end();
  });
  afterEach(() => Promise.all([gateway.close(), receiver.close()]));

  const tell = async (webhookId: string, receives = true, key = gateway.space.key) =>
    (await graphql(gateway.address, key, setNotices, { webhookId, receives })).data.updateWebhook;

  const now = () => gateway.clock.now;

  /** A webhook for no event of the tests. */
  const listener = (path: string) => gateway.webhook(`${receiver.address}${path}`, { events: '[]', name: path });

  const told = () =>
    receiver.received
      .filter(({ body }) => body.includes('webhook_disabled'))
      .map(({ path, body }) => ({ path, body: JSON.parse(body) }));

  it('notifies a webhook once that another one was disabled, and logs it', async () => {
    const own = await listener('/told');
    expect(await tell(own)).toEqual({ __typename: 'WebhookUpdated', webhook: { receivesNotices: true } });
    await listener('/not-told');
    const gone = await gateway.webhook(`${receiver.address}/gone`, { name: 'Gone' });
    await gateway.emit(1);
    await expect.poll(told).toHaveLength(1);
    expect(told()).toEqual([
      {
        path: '/told',
        body: {
          event: 'webhook_disabled',
          disabled_webhook_id: gone,
          disabled_webhook_name: 'Gone',
          disabled_at: gateway.clock.now.toISOString(),
          reason: 'gone',
          account_id: null,
          account_type: null,
          webhook_name: '/told',
        },
      },
    ]);
    const { data } = await graphql(
      gateway.address,
      gateway.space.key,
      'query Told($id: ID!) { webhook(webhookId: $id) { deliveries { nodes { event notice } } } }',
      { id: own },
    );
    expect(data.webhook.deliveries.nodes).toEqual([{ event: null, notice: 'WEBHOOK_DISABLED' }]);
    const lines = gateway.log.filter(({ msg }) => msg === 'webhook disabled');
    expect(lines).toMatchObject([{ webhookId: gone, reason: 'gone', notified: 1 }]);

    await tell(own, false);
    await gateway.app.database.updateTable('webhooks').set({ enabled: 1 }).where('id', '=', gone).execute();
    await gateway.emit(2);
    await expect.poll(() => gateway.log.filter(({ msg }) => msg === 'webhook disabled').length).toBe(2);
    await gateway.pass(0);
    expect(told()).toHaveLength(1);
  });

  it('notifies nobody when a caller disables a webhook', async () => {
    const own = await listener('/told');
    await tell(own);
    const other = await listener('/other');
    const disable = `mutation { updateWebhook(input: { webhookId: "${other}", isEnabled: false }) { __typename } }`;
    await graphql(gateway.address, gateway.space.key, disable);
    expect(await gateway.app.database.selectFrom('pending_notices').selectAll().execute()).toEqual([]);
  });

  it('ends when the webhooks to be notified are gone themselves', async () => {
    const [a, b] = [await listener('/gone'), await listener('/gone')];
    await tell(a);
    await tell(b);
    await gateway.webhook(`${receiver.address}/gone`, { name: 'Gone' });
    await gateway.emit(1);
    const disabled = () => gateway.log.filter(({ msg }) => msg === 'webhook disabled').length;
    await expect.poll(disabled).toBe(3);
    await gateway.pass(0);
    // One notice of the first, to both; and of each of them to the other, which is held.
    const deliveries = (await gateway.deliveries()).filter(({ event }) => event === 'webhook_disabled');
    expect(deliveries.map(({ state }) => state).sort()).toEqual(['failed', 'failed', 'held', 'held']);
    expect(told()).toHaveLength(2);
  });

  it('goes to ten webhooks of a workspace at most', async () => {
    const ids = await Promise.all(Array.from({ length: 11 }, (_, n) => listener(`/${n}`)));
    for (const id of ids.slice(0, 10)) expect(await tell(id)).toMatchObject({ __typename: 'WebhookUpdated' });
    expect(await tell(ids[10] ?? '')).toMatchObject({ code: 'LIMIT_TOO_HIGH' });
    // One that has them already is none more.
    expect(await tell(ids[0] ?? '')).toMatchObject({ __typename: 'WebhookUpdated' });
    await tell(ids[0] ?? '', false);
    expect(await tell(ids[10] ?? '')).toMatchObject({ __typename: 'WebhookUpdated' });
  });

  it('goes to ten at most that ask for it at once', async () => {
    const ids = await Promise.all(Array.from({ length: 14 }, (_, n) => listener(`/${n}`)));
    const results = await Promise.all(ids.map((id) => tell(id)));
    const refused = results.filter(({ code }) => code === 'LIMIT_TOO_HIGH');
    expect(refused).toHaveLength(4);
    expect(await gateway.app.database.selectFrom('notice_receivers').selectAll().execute()).toHaveLength(10);
  });

  it('is not lost when the process dies before, and not sent twice when it dies in between', async () => {
    const { database, delivery } = gateway.app;
    const own = await listener('/told');
    await tell(own);
    const gone = await listener('/other');
    if (delivery === null) throw new Error('the gateway does not deliver');
    const { emit } = delivery;
    const logger = pino({ level: 'silent' });
    const notice = { webhook_id: gone, disabled_at: 1, reason: 'failing' };
    await database.insertInto('pending_notices').values(notice).execute();
    // It dies after the event is stored: the row is still there, and the next process finds it.
    const dying = notices({
      database,
      logger,
      now,
      emit: async (emission) => {
        await emit(emission);
        throw new Error('the process died');
      },
    });
    await expect(dying.step(gone)).rejects.toThrow('died');
    const [one, other] = [notices({ database, logger, now, emit }), notices({ database, logger, now, emit })];
    await Promise.all([one.step(gone), other.step(gone)]);
    expect(await database.selectFrom('pending_notices').selectAll().execute()).toEqual([]);
    await gateway.pass(0);
    expect((await gateway.deliveries()).map(({ webhook_id }) => webhook_id)).toEqual([own]);
  });

  it('goes to webhooks of all accounts only, and no limited key can turn it on', async () => {
    const narrow = await gateway.webhook(receiver.address, { account_ids: JSON.stringify([gateway.accountId]) });
    expect(await tell(narrow)).toMatchObject({ __typename: 'InvalidRequestError' });
    const wide = await listener('/told');
    const limited = await gateway.space.newKey({ accountIds: [gateway.accountId] });
    expect(await tell(wide, true, limited)).toMatchObject({
      __typename: 'RequestError',
      code: 'ACCOUNT_MISMATCH',
    });
    // Narrowed later, it is told nothing.
    await tell(wide);
    await gateway.app.database
      .updateTable('webhooks')
      .set({ account_ids: JSON.stringify([gateway.accountId]) })
      .where('id', '=', wide)
      .execute();
    await gateway.webhook(`${receiver.address}/gone`);
    await gateway.emit(1);
    await expect
      .poll(() => gateway.log.filter(({ msg }) => msg === 'webhook disabled'))
      .toMatchObject([{ notified: 0 }]);
  });

  it('does not go to a webhook that is narrowed in between, nor does a trigger of another account', async () => {
    const { database, delivery } = gateway.app;
    if (delivery === null) throw new Error('the gateway does not deliver');
    const { emit } = delivery;
    const own = await listener('/told');
    await tell(own);
    const gone = await listener('/other');
    await database
      .insertInto('pending_notices')
      .values({ webhook_id: gone, disabled_at: 1, reason: 'failing' })
      .execute();
    const narrow = () =>
      database
        .updateTable('webhooks')
        .set({ account_ids: JSON.stringify([gateway.accountId]) })
        .where('id', '=', own)
        .execute();
    await notices({
      database,
      logger: pino({ level: 'silent' }),
      now,
      emit: (emission) => narrow().then(() => emit(emission)),
    }).step(gone);
    expect(await gateway.deliveries()).toEqual([]);
    const trigger = { workspaceId: gateway.space.workspaceId, accountType: 'PNET', source: null, event: 'trigger' };
    const fire = (accountId: string) => emit({ ...trigger, accountId, data: {}, webhookId: own });
    expect((await fire(await gateway.space.account())).deliveries).toEqual([]);
    expect((await fire(gateway.accountId)).deliveries).toHaveLength(1);
  });
});
