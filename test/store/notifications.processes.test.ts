/** A subscriber hears of a change with its commit: in the process that makes it, and in others on the same Postgres. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { requestContext } from '../support/request-context.ts';

/** On SQLite one process alone hears of changes; on Postgres a second one does, too. */
const places = databases.flatMap((dialect) => [
  { dialect, name: `in the process that makes it, on ${dialect.name}`, elsewhere: false },
  ...(dialect.name === 'Postgres' ? [{ dialect, name: 'in another process, on Postgres', elsewhere: true }] : []),
]);

describe.each(places)('a change is heard $name', ({ dialect, elsewhere }) => {
  let gateway: DeliveringGateway;
  let listening: Gateway;
  let webhookId: string;
  let stop: AbortController;
  const request = () => requestContext(gateway.space.workspaceId, stop.signal);

  /** Subscribes now. The promise resolves when every delivery has been heard of in the state. */
  async function subscribe(deliveryIds: readonly string[], state: string): Promise<{ heard: Promise<void> }> {
    const updates = await listening.app.ports.deliveries.watch(request(), { webhook_ids: [webhookId] });
    const missing = new Set(deliveryIds);
    const listen = async () => {
      while (missing.size > 0) {
        const { value, done } = await updates.next();
        if (done) throw new Error('the subscription ended');
        if (value.state === state) missing.delete(value.delivery_id);
      }
    };
    return { heard: listen() };
  }
  const emitTwice = async () =>
    [await gateway.emit('a'), await gateway.emit('b')].flatMap(({ deliveries }) => deliveries);
  const stateOf = async (id: string) => (await gateway.deliveries()).find((delivery) => delivery.id === id)?.state;
  const finish = (state: string) =>
    gateway.app.database.updateTable('deliveries').set({ state, attempts: 1 }).execute();

  /** Emits until the listening process hears of it: its connection to Postgres takes a moment. */
  async function untilListening(): Promise<void> {
    const updates = await listening.app.ports.deliveries.watch(request(), {});
    let isListening = false;
    const first = updates.next().then(() => {
      isListening = true;
    });
    while (!isListening) {
      await gateway.emit('warm');
      await setImmediate();
    }
    await first;
    await gateway.app.database.deleteFrom('events').execute();
  }

  beforeEach(async () => {
    // Workers without slots attempt nothing: what is heard comes from the command itself.
    const delivery = { limits: { slots: 0 } };
    stop = new AbortController();
    gateway = await startDelivering({ dialect, delivery });
    listening = elsewhere
      ? await startGateway({ delivery, environment: { DATABASE_URL: gateway.databaseUrl } })
      : gateway;
    webhookId = await gateway.webhook('https://hooks.example/');
    await untilListening();
  });
  afterEach(async () => {
    stop.abort();
    if (elsewhere) await listening.close();
    await gateway.close();
  });

  it('when an event is emitted', async () => {
    const updates = await listening.app.ports.deliveries.watch(request(), { webhook_ids: [webhookId] });
    const next = updates.next();
    const [deliveryId] = (await gateway.emit('a')).deliveries;
    expect((await next).value).toMatchObject({ delivery_id: deliveryId, state: 'pending' });
  });

  it('when a delivery is redelivered', async () => {
    const [deliveryId = '', other = ''] = await emitTwice();
    await finish('failed');
    const { heard } = await subscribe([deliveryId], 'pending');
    await gateway.app.ports.deliveries.redeliver(request(), { delivery_id: deliveryId });
    await heard;
    expect(await stateOf(other)).toBe('failed');
  });

  it('when all deliveries of a webhook are redelivered', async () => {
    const deliveryIds = await emitTwice();
    await finish('succeeded');
    const { heard } = await subscribe(deliveryIds, 'pending');
    const redelivered = { webhook_id: webhookId, state: 'succeeded' as const };
    expect(await gateway.app.ports.deliveries.redeliverAll(request(), redelivered)).toMatchObject({ count: 2 });
    await heard;
  });

  it('when a webhook is disabled and its deliveries are held', async () => {
    const deliveryIds = await emitTwice();
    const { heard } = await subscribe(deliveryIds, 'held');
    await gateway.app.ports.webhooks.update(request(), { webhook_id: webhookId, enabled: false });
    await heard;
  });
});
