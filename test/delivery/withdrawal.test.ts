/** What is claimed for a webhook, and not being sent, is given back when the webhook is disabled, changed or deleted. */
import { expect, it, onTestFinished } from 'vitest';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startGateway } from '../support/gateway.ts';
import { startReceiver } from '../support/receiver.ts';
import { requestContext } from '../support/request-context.ts';

const cases = databases.flatMap((dialect) =>
  (['disabled', 'deleted', 'narrowed'] as const).flatMap((command) =>
    // On SQLite other processes hear of nothing.
    (dialect.name === 'SQLite' ? [true] : [true, false]).map((own) => ({
      name: dialect.name,
      dialect,
      command,
      own,
      where: own ? 'the process that sends' : 'another process',
    })),
  ),
);

it.each(cases)(
  'nothing more is sent once a webhook was $command in $where, on $name',
  async ({ dialect, command, own }) => {
    const receiver = await startReceiver();
    const gateway = await startDelivering({ dialect, delivery: { limits: { slowAfterMs: 60_000 } } });
    const environment = { DATABASE_URL: gateway.databaseUrl, OUTBOUND_ALLOW: '127.0.0.0/8' };
    // It claims nothing: what it is told, it only stores.
    const other = own ? null : await startGateway({ environment, delivery: { limits: { slots: 0 } } });
    onTestFinished(async () => {
      await other?.close();
      await gateway.close();
      await receiver.close();
    });
    const id = await gateway.webhook(receiver.address);
    for (let n = 0; n < 8; n += 1) {
      await gateway.emit(`first ${n}`);
      await gateway.delivery.worker.idle();
    }
    const answers: (() => void)[] = [];
    receiver.answer = (_request, response) => void answers.push(() => response.end());
    const before = receiver.received.length;
    // Of these it has claimed more than it sends at once.
    for (let n = 0; n < 60; n += 1) await gateway.emit(n);
    await receiver.waitFor(before + 8);
    const claimed = async () => (await gateway.deliveries()).filter(({ claim_token }) => claim_token !== null).length;
    await expect.poll(claimed, { timeout: 10_000 }).toBeGreaterThan(30);
    const { webhooks } = (other ?? gateway).app.ports;
    const context = requestContext(gateway.space.workspaceId);
    if (command === 'disabled') await webhooks.setEnabled(context, { webhook_id: id, enabled: false });
    if (command === 'deleted') await webhooks.delete(context, { id });
    const another = await gateway.space.account();
    if (command === 'narrowed') await webhooks.update(context, { webhook_id: id, account_ids: [another] });
    const onTheWire = receiver.received.length;
    // Its claims are given back with the notification.
    await expect.poll(claimed, { timeout: 10_000 }).toBeLessThanOrEqual(onTheWire - before);
    receiver.answer = (_request, response) => void response.end();
    for (const answer of answers) answer();
    await gateway.delivery.worker.idle();
    expect(receiver.received.length).toBe(onTheWire);
  },
);
