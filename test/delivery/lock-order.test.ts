/**
 * Every command that changes webhooks or deliveries, and what a gateway does to them by itself, beside a queue whose destinations fail: on Postgres no two transactions
 * lock the same rows in different orders (store/locks.ts), so that none is ever undone for a deadlock.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { DeliveriesPort } from '../../src/capabilities/deliveries/port.ts';
import type { WebhooksPort } from '../../src/capabilities/webhooks/port.ts';
import { resealWebhooks } from '../../src/capabilities/webhooks/reseal.ts';
import { deleteStep, firstPosition } from '../../src/delivery/retention-step.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { keysOf } from '../../src/kernel/lib/objects.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import type { Vault } from '../../src/kernel/secrets/vault.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startGateway } from '../support/gateway.ts';
import type { Command } from '../support/port-commands.ts';
import { seededRandom } from '../support/random.ts';
import { startReceiver } from '../support/receiver.ts';
import { requestContext } from '../support/request-context.ts';
import { testVault } from '../support/webhooks.ts';

const [, postgres] = databases;
const durationMs = 8_000;
const webhookCount = 6;
const eventsAtOnce = 4;

/** For each command a request: the next command is one that does not compile until it stands here. */
interface Commands {
  readonly webhooks: { readonly [Method in Command<'webhooks'>]: () => ReturnType<WebhooksPort[Method]> };
  readonly deliveries: { readonly [Method in Command<'deliveries'>]: () => ReturnType<DeliveriesPort[Method]> };
}

test.skipIf(postgres === undefined)('no command meets the queue in a deadlock', { timeout: 180_000 }, async () => {
  if (postgres === undefined) return;
  const random = seededRandom(1);
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  // Failures store the health of destinations, and a 410 disables the webhook.
  receiver.answer = (_request, response) =>
    void response.writeHead(random.chance(0.02) ? 410 : random.pick([200, 500, 503])).end();
  const environment = {
    EVENTS_PER_SECOND: '0',
    WEBHOOKS_PER_WORKSPACE: '0',
    LOG_LEVEL: 'fatal',
  };
  // A busy machine waits; a deadlock ends after a second.
  const patient = {
    connectTimeoutMs: 30_000,
    lockTimeoutMs: 30_000,
    statementTimeoutMs: 40_000,
    queryTimeoutMs: 50_000,
  };
  const tuning = { postgres: patient };
  const gateway = await startDelivering({ dialect: postgres, environment, tuning });
  const other = await startGateway({
    environment: { DATABASE_URL: gateway.databaseUrl, OUTBOUND_ALLOW: '127.0.0.0/8', ...environment },
    tuning,
  });
  const observer = new pg.Client({ connectionString: gateway.databaseUrl });
  await observer.connect();
  const deadlocks = async (): Promise<number> => {
    const { rows } = await observer.query(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    return rows[0].deadlocks;
  };
  const context = requestContext(gateway.space.workspaceId);
  const { accountId } = gateway;
  const hooks: string[] = [];
  for (let n = 0; n < webhookCount; n += 1) hooks.push(await gateway.webhook(receiver.address));
  const [trigger] = hooks.splice(0, 1, await gateway.webhook(receiver.address));
  const aTrigger = { name: 'Go', icon: 'SyncAltIcon', context: 'CHAT' } as const;
  const { database } = gateway.app;
  const triggers = {
    type: 'TRIGGER',
    source: null,
    events: '[]',
    data: '[]',
    trigger: JSON.stringify(aTrigger),
  } as const;
  await database
    .updateTable('webhooks')
    .set(triggers)
    .where('id', '=', trigger ?? '')
    .execute();

  const webhook_id = () => random.pick(hooks);
  const aDelivery = async () => {
    const rows = await database
      .selectFrom('deliveries')
      .select('id')
      .where('state', '!=', 'pending')
      .orderBy('created_at', 'desc')
      .limit(20)
      .execute();
    return rows.length === 0 ? 'A'.repeat(22) : random.pick(rows).id;
  };
  const create = { request_url: receiver.address, source: 'users' as const };
  const commandsOf = ({ webhooks, deliveries }: Ports): Commands => ({
    webhooks: {
      create: async () => {
        const created = await webhooks.create(context, create);
        hooks.push(created.webhook_id);
        return created;
      },
      createTrigger: () => webhooks.createTrigger(context, { request_url: receiver.address, trigger: aTrigger }),
      update: async () => {
        const id = webhook_id();
        const account_ids = random.chance(0.5) ? [] : [accountId];
        const receives_notices = account_ids.length === 0 && random.chance(0.5);
        const enabled = random.chance(0.5);
        await webhooks.update(context, { webhook_id: id, account_ids, receives_notices, enabled });
        await sleep(enabled ? 0 : 20);
        return webhooks.update(context, { webhook_id: id, enabled: true });
      },
      rotateSecret: () => webhooks.rotateSecret(context, { webhook_id: webhook_id() }),
      showSecret: () => webhooks.showSecret(context, { webhook_id: webhook_id() }),
      delete: async () => {
        const { webhook_id: id } = await webhooks.create(context, create);
        await sleep(50);
        return webhooks.delete(context, { id });
      },
    },
    deliveries: {
      emit: () => deliveries.emit(context, { account_id: accountId, event: 'new_relation' }),
      fireTrigger: () =>
        deliveries.fireTrigger(context, {
          webhook_id: trigger ?? '',
          account_id: accountId,
          chat_id: 'c',
        }),
      sendTest: () => deliveries.sendTest(context, { webhook_id: webhook_id() }),
      redeliver: async () => deliveries.redeliver(context, { delivery_id: await aDelivery() }),
      redeliverAll: () =>
        deliveries.redeliverAll(context, {
          webhook_id: webhook_id(),
          state: random.pick(['held', 'failed', 'succeeded'] as const),
        }),
    },
  });

  const before = await deadlocks();
  const until = performance.now() + durationMs;
  const done = new Map<string, number>();
  const failures: unknown[] = [];
  const again = async (name: string, work: () => Promise<unknown>, pauseMs: number) => {
    while (performance.now() < until) {
      const outcome = await work().then(
        () => true,
        (error: unknown) => {
          // What another command has changed a moment ago is refused.
          if (!(error instanceof ServiceError) || error.status >= 500) failures.push(error);
          return false;
        },
      );
      if (outcome) done.set(name, (done.get(name) ?? 0) + 1);
      await sleep(pauseMs);
    }
  };
  const loops = [gateway.app.ports, other.app.ports].flatMap((ports) => {
    const { webhooks, deliveries } = commandsOf(ports);
    return [...Object.entries(webhooks), ...Object.entries(deliveries)].map(([name, work]) =>
      again(name, work, name === 'emit' ? 5 : 60),
    );
  });
  for (let n = 1; n < eventsAtOnce; n += 1) loops.push(again('emit', commandsOf(other.app.ports).deliveries.emit, 10));
  const step = { before: gateway.clock.now.getTime() + 1, from: firstPosition, size: 20 };
  loops.push(again('retention', () => deleteStep(database, step, () => performance.now()), 40));
  // As after each change of the secret: no webhook stays as it is.
  const resealing: Vault = { ...testVault, reseal: (row, sealed) => testVault.seal(row, testVault.open(row, sealed)) };
  loops.push(again('reseal', () => resealWebhooks(database, resealing), 100));
  await Promise.all(loops);

  const names = (['webhooks', 'deliveries'] as const).flatMap((port) => keysOf(commandsOf(gateway.app.ports)[port]));
  for (const name of [...names, 'retention', 'reseal']) expect(done.get(name) ?? 0, name).toBeGreaterThan(0);
  await other.close();
  // What a session has counted is certain when it has ended.
  await observer.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid != pg_backend_pid()`);
  await sleep(500);
  expect([await deadlocks(), failures]).toEqual([before, []]);
  await observer.end();
  await gateway.close();
});
