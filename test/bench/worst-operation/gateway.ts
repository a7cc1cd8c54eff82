/** The gateway under test, with large data, and a measure of how long its event loop is held. */

import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/app/config/config.ts';
import { createKey } from '../../../src/auth/api-keys.ts';
import { scopeNames } from '../../../src/kernel/caller.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { findSecrets } from '../../../src/kernel/secrets/secret.ts';
import { sandboxNetworks, sandboxToken } from '../../../src/providers/sandbox/networks.ts';

const config = readConfig({
  ...process.env,
  PORT: '0',
  DATABASE_URL: 'sqlite::memory:',
  DEMO: 'off',
  LOG_LEVEL: 'silent',
  SECRET: 'the secret of the benchmark, of no use to anybody',
  NODE_ENV: 'production',
  // No document comes twice, so there are no hits: but each is analysed, and its response copied.
  RESPONSE_CACHE: 'memory',
});
const now = () => new Date();
const app = await createApp(config, {
  logger: pino({ level: 'silent' }),
  secrets: await findSecrets(config, randomBytes),
  now,
  randomBytes,
  providers: sandboxNetworks({ clock: now }),
});
const { database } = app;

const workspaceId = newId(randomBytes);
const created_at = Date.now();
await database.insertInto('workspaces').values({ id: workspaceId, name: 'bench', created_at }).execute();
const made = { now: now(), randomBytes };
const { key } = await createKey(
  database,
  { workspaceId, name: 'bench', scopes: scopeNames, accountIds: null, expiresAt: null },
  made,
);
const account = async (type: 'PNET' | 'PHOTONET'): Promise<string> => {
  const id = newId(randomBytes);
  const row = {
    id,
    workspace_id: workspaceId,
    name: type,
    type,
    status: 'OK' as const,
    session: sandboxToken('ok'),
    created_at,
  };
  await database.insertInto('accounts').values(row).execute();
  return id;
};
const accountId = await account('PNET');
const photonetId = await account('PHOTONET');
const others = await Promise.all(Array.from({ length: 250 }, () => account('PNET')));

/** Webhooks with parts of the sizes that the schema assumes. */
const ids: string[] = [];
for (let index = 0; index < 250; index += 1) {
  const id = newId(randomBytes);
  ids.push(id);
  await database
    .insertInto('webhooks')
    .values({
      id,
      workspace_id: workspaceId,
      type: 'AUTO',
      source: 'messaging',
      name: `webhook ${index}`,
      format: 'json',
      account_ids: JSON.stringify(others.slice(0, 20)),
      headers: '[]',
      data: JSON.stringify(Array.from({ length: 20 }, (_, n) => ({ name: `name_${n}`, key: 'message' }))),
      trigger: null,
      events: JSON.stringify(['message_received']),
      enabled: 0,
      request_url: 'https://hooks.example/in',
      created_at: created_at + index,
    })
    .execute();
}
// Each event makes a delivery for each of the 250 webhooks: held, as they are disabled.
for (let index = 0; index < 260; index += 1) {
  await app.delivery?.emit({
    workspaceId,
    accountId: others[0] ?? null,
    accountType: 'PNET',
    source: 'messaging',
    event: 'message_received',
    data: { message: 'x'.repeat(2_000), chat_id: String(index) },
  });
}

/** CPU time of this thread in milliseconds: on a machine that does other work as well, time passes without it. */
const cpu = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

let longest = 0;
let last = cpu();
// What the thread does between two turns of a timer, it does while everybody else waits.
setInterval(() => {
  const at = cpu();
  longest = Math.max(longest, at - last);
  last = at;
}, 1);

const address = await app.listen();
process.on('message', (message) => {
  if (message === 'reset') {
    globalThis.gc?.();
    last = cpu();
    longest = 0;
    process.send?.('ready');
    return;
  }
  const open = cpu() - last;
  process.send?.(Math.max(longest, open));
});
process.send?.({ address, key, webhookId: ids[0], accountId, photonetId });
