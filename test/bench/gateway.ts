/** Shared by the delivery benches: a gateway with its own database, and receivers in their own processes. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { pino } from 'pino';
import { type App, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { DeliveryEngine, DeliveryTuning } from '../../src/delivery/engine.ts';
import { newId } from '../../src/ids.ts';
import { sandboxNetworks } from '../../src/providers/sandbox/networks.ts';
import { storeWebhook, testSecret } from '../support/webhooks.ts';

export interface BenchGateway {
  readonly app: App;
  readonly delivery: DeliveryEngine;
  readonly workspaceId: string;
  webhook(requestUrl: string, options?: { enabled?: boolean; headers?: string; event?: string }): Promise<string>;
  emit(n: number | string, event?: string): Promise<unknown>;
  close(): Promise<void>;
}

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
    now,
    randomBytes,
    providers: sandboxNetworks({ clock: now }),
    delivery,
  });
  if (app.delivery === null) throw new Error('the gateway does not deliver');
  const { database } = app;
  const running = app.delivery;
  const workspaceId = 'bench-workspace------A';
  await database
    .insertInto('workspaces')
    .values({ id: workspaceId, name: 'bench', created_at: Date.now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return {
    app,
    delivery: running,
    workspaceId,
    async webhook(requestUrl, { enabled = true, headers = '[]', event = 'mail_sent' } = {}) {
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
        data: '[{"name":"n","key":"email_id"}]',
        events: JSON.stringify([event]),
        trigger: null,
        created_at: Date.now(),
      });
      return id;
    },
    emit: (n, event = 'mail_sent') =>
      running.emit({
        workspaceId,
        accountId: null,
        accountType: null,
        source: 'email',
        event,
        data: { email_id: String(n), subject: 'Agenda for Thursday', body_plain: 'x'.repeat(200) },
      }),
    close: () => app.close(),
  };
}

export interface BenchReceiver {
  readonly address: string;
  readonly process: ChildProcess;
  count(): Promise<number>;
  close(): void;
}

export async function benchReceiver(): Promise<BenchReceiver> {
  const child = fork(new URL('./receiver.ts', import.meta.url));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    address: `http://127.0.0.1:${port}`,
    process: child,
    async count() {
      child.send('count');
      const [message] = (await once(child, 'message')) as [{ count: number }];
      return message.count;
    },
    close: () => child.disconnect(),
  };
}

export const percentile = (values: readonly number[], p: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((p / 100) * sorted.length))] ?? Number.NaN;
};
