/** Shared by the benches and crash runs of deliveries: a gateway with its own database. */

import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { type App, createApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/app/config/config.ts';
import type { DeliveryEngine, DeliveryTuning } from '../../src/delivery/engine.ts';
import { newId } from '../../src/kernel/ids.ts';
import { findSecrets } from '../../src/kernel/secrets/secret.ts';
import { sandboxNetworks } from '../../src/providers/sandbox/networks.ts';
import { storeWebhook, testSecret } from '../support/webhooks.ts';
import { benchEmission, workspaceId } from './emission.ts';

interface WebhookOptions {
  readonly enabled?: boolean;
  /** JSON, as it is stored. */
  readonly headers?: string;
  readonly event?: string;
  /** JSON, as it is stored. */
  readonly data?: string;
}

export interface BenchGateway {
  readonly app: App;
  readonly delivery: DeliveryEngine;
  readonly workspaceId: string;
  webhook(requestUrl: string, options?: WebhookOptions): Promise<string>;
  /** @param data of the event, if it is to be other than the usual one */
  emit(n: number | string, event?: string, data?: Readonly<Record<string, string>>): Promise<unknown>;
  close(): Promise<void>;
}

const usualData = '[{"name":"n","key":"email_id"}]';

/** Starts a gateway. Several on one database are several workers of one workspace. */
export async function benchGateway(databaseUrl: string, delivery: DeliveryTuning = {}): Promise<BenchGateway> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DEMO: 'off',
    LOG_LEVEL: 'error',
    SECRET: testSecret,
    OUTBOUND_ALLOW: '127.0.0.0/8',
  });
  const now = () => new Date();
  const app = await createApp(config, {
    logger: pino({ level: config.logLevel }),
    secrets: await findSecrets(config, randomBytes),
    now,
    randomBytes,
    providers: sandboxNetworks({ clock: now }),
    delivery,
  });
  if (app.delivery === null) throw new Error('the gateway does not deliver');
  const { database } = app;
  const running = app.delivery;
  await database
    .insertInto('workspaces')
    .values({ id: workspaceId, name: 'bench', created_at: Date.now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return {
    app,
    delivery: running,
    workspaceId,
    async webhook(requestUrl, { enabled = true, headers = '[]', event = 'mail_sent', data = usualData } = {}) {
      const id = newId(randomBytes);
      await storeWebhook(database, {
        id,
        workspace_id: workspaceId,
        type: 'AUTO',
        source: 'email',
        name: 'bench',
        enabled: enabled ? 1 : 0,
        request_url: requestUrl,
        format: 'json',
        account_ids: '[]',
        headers,
        data,
        events: JSON.stringify([event]),
        trigger: null,
        created_at: Date.now(),
      });
      return id;
    },
    emit: (n, event, data) => running.emit(benchEmission(n, event, data)),
    close: () => app.close(),
  };
}

export const percentile = (values: readonly number[], p: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((p / 100) * sorted.length))] ?? Number.NaN;
};
