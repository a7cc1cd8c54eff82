/**
 * What holds up a process: `/livez` is asked every few milliseconds by another process, while one call has much to do.
 *
 *   node test/bench/stall.ts [rows]      on SQLite, and on Postgres with TEST_POSTGRES_URL
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { databases, type TestDialect } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { fillingOf, subjects } from '../support/growth/fill.ts';
import { requestContext } from '../support/request-context.ts';
import { percentile } from './gateway.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const lockedMs = 4_000;
const say = (text: string) => void process.stdout.write(`${text}\n`);

/** Asks `/livez` until it is stopped. @returns the milliseconds that each response took */
async function watch(address: string): Promise<() => Promise<number[]>> {
  const child = fork(new URL('./livez.ts', import.meta.url), [address]);
  await once(child, 'message');
  return async () => {
    child.send('stop');
    const [times] = (await once(child, 'message')) as [number[]];
    return times;
  };
}

async function measure(name: string, address: string, work: () => Promise<unknown>) {
  const stop = await watch(address);
  const began = performance.now();
  const failure = await work().then(
    () => '',
    (error: Error) => ` (${error.message})`,
  );
  const took = performance.now() - began;
  const times = await stop();
  const [p50, p99, most] = [50, 99, 100].map((p) => percentile(times, p).toFixed(0));
  say(`  ${name.padEnd(44)} ${took.toFixed(0).padStart(7)} ms   /livez p50 ${p50} p99 ${p99} max ${most} ms${failure}`);
}

async function start(dialect: TestDialect) {
  const environment = { WEBHOOKS_PER_WORKSPACE: '0', LOG_LEVEL: 'error' };
  const gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } }, environment });
  const kind = dialect.name === 'SQLite' ? 'sqlite' : 'postgres';
  const own = { account_ids: JSON.stringify([gateway.accountId]) };
  const webhookId = await gateway.webhook('https://hooks.example/', own);
  const filling = fillingOf(gateway, kind, webhookId);
  return { gateway, filling, webhookId, context: requestContext(gateway.space.workspaceId) };
}

for (const dialect of databases) {
  say(`${dialect.name}, ${rows} deliveries`);
  const { gateway, filling, webhookId, context } = await start(dialect);
  const { address, app } = gateway;
  const { deliveries, webhooks } = app.ports;
  await subjects['waiting deliveries'](filling, rows);

  await measure('nothing for 3 s', address, () => new Promise((resolve) => setTimeout(resolve, 3_000)));
  for (const state of ['pending', 'failed'] as const) {
    await measure(`list ${state}`, address, () => deliveries.list(context, { webhook_id: webhookId, state: [state] }));
  }
  const limited = { ...context, caller: { ...context.caller, accountIds: new Set(['none-----------------A']) } };
  await measure('list for a key of other accounts', address, () => deliveries.list(limited, { webhook_id: webhookId }));
  const many = await gateway.webhook('https://hooks.example/');
  await sql`
    insert into webhooks (id, workspace_id, type, source, name, enabled, request_url, format, account_ids, headers, data, events, created_at)
    select 'm' || substr(d.id, 2), webhooks.workspace_id, type, source, name, enabled, request_url, format, account_ids, headers, webhooks.data, events, webhooks.created_at
    from webhooks cross join (select id from deliveries limit 9999) d where webhooks.id = ${many}`.execute(
    app.database,
  );
  await measure('emit to 10,000 webhooks', address, () => gateway.emit('many'));
  await measure('disable a webhook', address, () =>
    webhooks.setEnabled(context, { webhook_id: webhookId, enabled: false }),
  );
  await measure('delete a webhook', address, () => webhooks.delete(context, { id: webhookId }));
  await measure('what the deletion leaves, 5 s', address, () => new Promise((resolve) => setTimeout(resolve, 5_000)));
  if (dialect.name === 'SQLite') {
    const other = new DatabaseSync(gateway.databaseUrl.replace('sqlite:', ''));
    other.exec('begin immediate');
    setTimeout(() => other.exec('commit'), lockedMs);
    await measure(`emit while the file is locked for ${lockedMs} ms`, address, () => gateway.emit('locked'));
    other.close();
  }
  await gateway.close();
}
