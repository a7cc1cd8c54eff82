/** Commands that wait for a locked table, or for locked jobs: others have connections meanwhile. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { keysOf } from '../../src/kernel/lib/objects.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';
import type { Command } from '../support/port-commands.ts';
import { requestContext } from '../support/request-context.ts';

const [, postgres] = databases;

/** A request of each command. A new command does not compile until it stands here. */
type Commands = Readonly<Record<Command<'webhooks'> | Command<'deliveries'>, () => Promise<unknown>>>;

const outcomeOf = async (command: () => Promise<unknown>) => {
  const startedAt = performance.now();
  const [settled] = await Promise.allSettled([command()]);
  const reason = settled.status === 'fulfilled' ? null : String(settled.reason.reason ?? settled.reason);
  return { reason, ms: performance.now() - startedAt };
};

/** The longest wait for a lock. A response that waits for none takes less than half of it. */
const lockMs = 1_000;

it.skipIf(postgres === undefined)(
  'each command that waits for a locked table leaves connections to other workspaces, on Postgres',
  { timeout: 180_000 },
  async () => {
    if (postgres === undefined) throw new Error('there is no Postgres');
    const gateway = await startDelivering({
      dialect: postgres,
      delivery: { limits: { slots: 0 } },
      environment: { EVENTS_PER_SECOND: '0', LOG_LEVEL: 'fatal' },
      // Of webhooks and deliveries 19, one for each command that waits and as many as these for others.
      tuning: { postgres: { connections: 60, lockTimeoutMs: lockMs } },
    });
    onTestFinished(() => gateway.close());
    const { app, databaseUrl } = gateway;
    const { webhooks, deliveries } = app.ports;
    const trigger = { name: 'Go', icon: 'SyncAltIcon', context: 'CHAT' } as const;
    const request_url = 'https://hooks.example/';

    /** Commands of a workspace of its own. */
    async function commandsOf(): Promise<Commands> {
      const space = await gateway.workspace();
      const context = requestContext(space.workspaceId);
      const account_id = await space.account();
      const { webhook_id } = await webhooks.create(context, { request_url, source: 'users' });
      const fired = await webhooks.createTrigger(context, { request_url, trigger });
      const emit = () => deliveries.emit(context, { account_id, event: 'new_relation' });
      const { delivery_ids } = await emit();
      const [delivery_id = newId(randomBytes)] = delivery_ids;
      await app.database.updateTable('deliveries').set({ state: 'failed' }).where('id', '=', delivery_id).execute();
      return {
        create: () => webhooks.create(context, { request_url, source: 'users' }),
        createTrigger: () => webhooks.createTrigger(context, { request_url, trigger }),
        update: () => webhooks.update(context, { webhook_id, name: 'New' }),
        showSecret: () => webhooks.showSecret(context, { webhook_id }),
        rotateSecret: () => webhooks.rotateSecret(context, { webhook_id }),
        emit,
        fireTrigger: () =>
          deliveries.fireTrigger(context, {
            webhook_id: fired.webhook_id,
            account_id,
            chat_id: 'c',
          }),
        sendTest: () => deliveries.sendTest(context, { webhook_id }),
        redeliver: () => deliveries.redeliver(context, { delivery_id }),
        redeliverAll: () => deliveries.redeliverAll(context, { webhook_id, state: 'failed' }),
        // Last, as the others act on the webhook.
        delete: () => webhooks.delete(context, { id: webhook_id }),
      };
    }

    const somebody = new pg.Client({ connectionString: databaseUrl });
    await somebody.connect();
    onTestFinished(() => somebody.end());
    const { rows: tables } = await somebody.query(
      "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1",
    );
    const met: Record<string, string[]> = {};
    for (const { name: table } of tables) {
      const names = keysOf(await commandsOf());
      const stuck = await Promise.all(names.map(async (name) => (await commandsOf())[name]));
      const other = await commandsOf();
      await somebody.query(`begin; lock table ${table} in exclusive mode`);
      const waits = await Promise.all(stuck.map(async (command) => (await outcomeOf(command)).reason === 'slow'));
      const free = names.filter((_, at) => !waits[at]);
      const waiting = stuck.filter((_, at) => waits[at]);
      met[table] = names.filter((_, at) => waits[at]);
      if (waiting.length === 0) {
        await somebody.query('rollback');
        continue;
      }
      let isFlooding = true;
      const again = async (command: () => Promise<unknown>) => {
        while (isFlooding) await outcomeOf(command);
      };
      const flood = waiting.flatMap((command) => Array.from({ length: 20 }, () => again(command)));
      const answered: Record<string, unknown> = {};
      try {
        await sleep(100);
        for (const name of free) {
          const { reason, ms } = await outcomeOf(other[name]);
          answered[name] = reason ?? (ms < lockMs / 2 ? 'at once' : ms);
        }
      } finally {
        isFlooding = false;
        await somebody.query('rollback');
        await Promise.all(flood);
      }
      expect(answered, `while ${met[table]} wait for ${table}`).toEqual(
        Object.fromEntries(free.map((name) => [name, 'at once'])),
      );
    }
    expect(new Set(Object.values(met).flat())).toEqual(new Set(keysOf(await commandsOf())));
  },
);

// How several such workspaces take turns is the concern of workspace-lines.test.ts.
it.skipIf(postgres === undefined)(
  'commands of a workspace that wait for locked jobs leave connections to others, on Postgres',
  { timeout: 60_000 },
  async () => {
    if (postgres === undefined) throw new Error('there is no Postgres');
    const gateway = await startDelivering({ dialect: postgres, environment: { LOG_LEVEL: 'fatal' } });
    onTestFinished(() => gateway.close());
    const { jobs } = gateway.app.ports;
    const fields = {
      job_title: { text: 'Engineer' },
      company: { text: 'Acme' },
      workplace: 'REMOTE',
      location: '7',
      description: 'Builds.',
    } as const;
    async function drafts(count: number) {
      const space = await gateway.workspace();
      const context = requestContext(space.workspaceId);
      const account_id = await space.account();
      const create = () => jobs.createDraft(context, { account_id, ...fields });
      const made = await Promise.all(Array.from({ length: count }, create));
      const edit = (job_id: string) => jobs.edit(context, { account_id, job_id, description: 'New.' });
      return { space, context, account_id, create, edit, ids: made.map(({ job_id }) => job_id) };
    }
    const stuck = await drafts(20);
    const other = await drafts(2);
    const [draft_id = '', edited = ''] = other.ids;
    let created = 0;
    const commands = {
      edit: () => other.edit(edited),
      createDraft: other.create,
      publish: () => jobs.publish(other.context, { account_id: other.account_id, draft_id, mode: 'FREE' }),
      async createWebhook() {
        created += 1;
        const input = `{ requestUrl: "https://hooks.example/", source: USERS, idempotencyKey: "${created}" }`;
        const mutation = `mutation { createWebhook(input: ${input}) { __typename } }`;
        const { data, errors } = await graphql(gateway.address, other.space.key, mutation);
        if (data?.createWebhook.__typename !== 'WebhookCreated') throw new Error(JSON.stringify({ data, errors }));
      },
    };

    const somebody = new pg.Client({ connectionString: gateway.databaseUrl });
    await somebody.connect();
    onTestFinished(() => somebody.end());
    await somebody.query('begin');
    await somebody.query('select id from jobs where id = any($1) for update', [stuck.ids]);
    let isFlooding = true;
    const reasons = new Set<string | null>();
    const flood = stuck.ids.map(async (id) => {
      while (isFlooding) reasons.add((await outcomeOf(() => stuck.edit(id))).reason);
    });
    const late: string[] = [];
    const startedAt = performance.now();
    try {
      await sleep(100);
      while (performance.now() - startedAt < 8_000) {
        for (const name of keysOf(commands)) {
          if (name === 'publish' && created > 0) continue;
          const { reason, ms } = await outcomeOf(commands[name]);
          const at = Math.round(performance.now() - startedAt);
          if (reason !== null || ms > 1_000) late.push(`${name} at ${at}: ${reason ?? 'done'} after ${Math.round(ms)}`);
        }
        await sleep(200);
      }
    } finally {
      isFlooding = false;
      await somebody.query('rollback');
      await Promise.all(flood);
    }
    expect(late).toEqual([]);
    expect(reasons).toContain('slow');
  },
);
