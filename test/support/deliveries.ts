/** A gateway that delivers to receivers on loopback. */
import { randomBytes } from 'node:crypto';
import type { DeliveryEngine, DeliveryTuning } from '../../src/delivery/engine.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { DeliveryTable, WebhookTable } from '../../src/store/schema.ts';
import { databases, type TestDialect } from './databases.ts';
import { inFrontOf } from './fronting.ts';
import { type Gateway, startGateway, type TestWorkspace } from './gateway.ts';
import type { Tuning } from './tuning.ts';
import { storeWebhook } from './webhooks.ts';

export interface DeliveringGateway extends Gateway {
  readonly delivery: DeliveryEngine;
  /** `DATABASE_URL` of its database. */
  readonly databaseUrl: string;
  /** Of another process on its database. */
  readonly environment: Readonly<Record<string, string>>;
  readonly space: TestWorkspace;
  readonly accountId: string;
  /** Stores a webhook for `new_relation` whose payload has the event's `n`. */
  webhook(requestUrl: string, options?: Partial<WebhookTable>): Promise<string>;
  /** Emits `new_relation`, identified by `n`. */
  emit(n: string | number, idempotencyKey?: string): ReturnType<DeliveryEngine['emit']>;
  deliveries(): Promise<DeliveryTable[]>;
  /** Moves the clock, and waits until everything that is due then is done. */
  pass(ms: number): Promise<void>;
}

export interface DeliverySetUp extends Pick<TestDialect, 'withSchema'> {
  readonly name: string;
  /** In front of a service, with webhooks of its own: all keys share a workspace. */
  readonly isFronting?: boolean;
}

/** A gateway on each database, and one in front of a service. */
export const deliverySetUps: readonly DeliverySetUp[] = [
  ...databases,
  ...databases
    .slice(0, 1)
    .map((dialect) => ({ ...dialect, name: `${dialect.name} before a service`, isFronting: true })),
];

export async function startDelivering({
  dialect,
  delivery: tuning,
  environment = {},
  clock,
  tuning: settings = {},
}: {
  readonly dialect: Omit<DeliverySetUp, 'name'>;
  readonly delivery?: DeliveryTuning;
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: { now: Date };
  readonly tuning?: Tuning;
}): Promise<DeliveringGateway> {
  const place = await dialect.withSchema();
  const service = dialect.isFronting ? await startGateway() : null;
  const whole = {
    DATABASE_URL: place.url,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    ...(service && inFrontOf(service, await service.workspace())),
    ...environment,
  };
  const gateway = await startGateway({
    environment: whole,
    tuning: settings,
    ...(tuning === undefined ? {} : { delivery: tuning }),
    ...(clock === undefined ? {} : { clock }),
  });
  const { database, delivery } = gateway.app;
  if (delivery === null) throw new Error('the gateway does not deliver');
  const space = await gateway.workspace();
  const accountId = await space.account();
  return {
    ...gateway,
    delivery,
    databaseUrl: place.url,
    environment: whole,
    space,
    accountId,
    async webhook(requestUrl, options = {}) {
      const row: WebhookTable = {
        id: newId(randomBytes),
        workspace_id: space.workspaceId,
        type: 'AUTO',
        source: 'users',
        name: 'Hook',
        enabled: 1,
        request_url: requestUrl,
        format: 'json',
        account_ids: '[]',
        headers: '[]',
        data: JSON.stringify([{ name: 'n', key: 'user_full_name' }]),
        events: '["new_relation"]',
        trigger: null,
        created_at: gateway.clock.now.getTime(),
        ...options,
      };
      await storeWebhook(database, row);
      return row.id;
    },
    emit: (n, idempotencyKey) =>
      delivery.emit({
        workspaceId: space.workspaceId,
        accountId,
        accountType: 'PNET',
        source: 'users',
        event: 'new_relation',
        data: { user_full_name: String(n) },
        idempotencyKey,
      }),
    deliveries: () => database.selectFrom('deliveries').selectAll().orderBy('created_at').orderBy('id').execute(),
    async pass(ms) {
      gateway.clock.now = new Date(gateway.clock.now.getTime() + ms);
      await delivery.worker.idle();
    },
    async close() {
      await gateway.close();
      await service?.close();
      await place.drop();
    },
  };
}
