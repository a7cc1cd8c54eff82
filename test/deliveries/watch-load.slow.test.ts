/** Many who watch at once: one read for all of them, of nothing that none may see, a few at a time, and bounded. */
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { KyselyPlugin } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Delivery } from '../../src/capabilities/deliveries/shapes.ts';
import { deliveryWatch } from '../../src/capabilities/deliveries/watch.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { RequestContext } from '../../src/kernel/request-context.ts';
import { DatabaseFault } from '../../src/store/faults.ts';
import type { UpdateListener } from '../../src/store/notifications.ts';
import { maxUnread, Watcher } from '../../src/store/watch.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { requestContext } from '../support/request-context.ts';

/** Watching over the database of a gateway. The test says which deliveries have changed, and sees what is read. */
async function startWatching(dialect = databases[0]) {
  if (dialect === undefined) throw new Error('there is no database');
  const gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
  const stop = new AbortController();
  onTestFinished(async () => {
    stop.abort();
    await gateway.close();
  });
  const listeners = new Set<UpdateListener>();
  const reads: number[] = [];
  const faults = { isAway: false, count: 0 };
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      if (!faults.isAway) return node;
      faults.count += 1;
      throw new DatabaseFault('unavailable', new Error('away'));
    },
    async transformResult({ result }) {
      reads.push(result.rows.length);
      return result;
    },
  };
  const { watch } = deliveryWatch({
    database: gateway.app.database.withPlugin(counting),
    notifications: {
      listen(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    now: () => gateway.clock.now,
  });
  const context = (caller: Partial<RequestContext['caller']> = {}, signal = stop.signal): RequestContext => {
    const own = requestContext(gateway.space.workspaceId, signal);
    return { ...own, caller: { ...own.caller, ...caller } };
  };
  const change = (ids: readonly string[]) => {
    for (const { onUpdated } of listeners) onUpdated(ids);
  };
  return { gateway, stop, listeners, reads, faults, watch, context, change };
}

/** Emits events. @returns the ids of their deliveries */
async function emit(gateway: DeliveringGateway, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(...(await gateway.emit(n)).deliveries);
  return ids;
}

/** Collects what each of the watchers is told, and waits until `count` have been told in all. */
function listen(watchers: readonly AsyncGenerator<Delivery>[]) {
  const told = watchers.map(() => [] as string[]);
  const listening = watchers.map(async (watcher, index) => {
    for await (const { delivery_id } of watcher) told[index]?.push(delivery_id);
  });
  const count = () => told.reduce((sum, ids) => sum + ids.length, 0);
  return {
    told,
    count,
    ended: Promise.all(listening),
    async until(expected: number) {
      while (count() < expected) await setImmediate();
    },
  };
}

describe.each(databases)('watching on $name', (dialect) => {
  test('reads a change once for any number of watchers', async () => {
    const { gateway, reads, watch, context, change } = await startWatching(dialect);
    await gateway.webhook('https://hooks.example/');
    const ids = await emit(gateway, 3);
    const watchers = await Promise.all(Array.from({ length: 200 }, () => watch(context(), {})));
    const { told, until } = listen(watchers);
    change(ids);
    await until(600);
    for (const seen of told) expect(seen).toEqual(ids);
    expect(reads).toEqual([3]);
  });

  test('waits a fault of the database out, and ends where changes may have been missed', async () => {
    const { gateway, faults, listeners, watch, context, change } = await startWatching(dialect);
    await gateway.webhook('https://hooks.example/');
    const ids = await emit(gateway, 3);
    const { told, until, ended } = listen([await watch(context(), {})]);
    faults.isAway = true;
    change(ids);
    await expect.poll(() => faults.count).toBeGreaterThan(1);
    faults.isAway = false;
    await until(3);
    expect(new Set(told[0])).toEqual(new Set(ids));
    for (const { onMissed } of listeners) onMissed();
    await expect(ended).rejects.toMatchObject({ status: 503 });
  });

  test('reads only deliveries that a watcher may see, and sends each watcher only those', async () => {
    const { gateway, reads, watch, context, change } = await startWatching(dialect);
    const webhooks = [
      await gateway.webhook('https://hooks.example/1'),
      await gateway.webhook('https://hooks.example/2'),
    ];
    const ids = await emit(gateway, 2);
    const mine = (await gateway.deliveries()).filter(({ webhook_id }) => webhook_id === webhooks[0]);
    const stranger = await gateway.workspace();
    const elsewhere = await Promise.all([
      watch(context({ workspaceId: stranger.workspaceId }), {}),
      watch(context({ accountIds: new Set([newId(randomBytes)]) }), {}),
      watch(context({ workspaceId: stranger.workspaceId, accountIds: new Set([gateway.accountId]) }), {}),
    ]);
    // Of no webhook, and of another workspace with the ids of this one.
    const unknown = { errorName: 'resource_not_found' };
    await expect(watch(context(), { webhook_ids: [newId(randomBytes)] })).rejects.toMatchObject(unknown);
    await expect(
      watch(context({ workspaceId: stranger.workspaceId }), { webhook_ids: webhooks.slice(0, 1) }),
    ).rejects.toMatchObject(unknown);
    const others = listen(elsewhere);
    const first = listen([
      await watch(context({ accountIds: new Set([gateway.accountId]) }), { webhook_ids: webhooks.slice(0, 1) }),
    ]);
    // To watch webhooks by their ids reads whether the key can see them.
    reads.length = 0;
    change(ids);
    await first.until(2);
    expect(new Set(first.told[0])).toEqual(new Set(mine.map(({ id }) => id)));
    expect(others.count()).toBe(0);
    // A read for which nobody may see anything brings no row.
    const alone = await startWatching(dialect);
    await alone.gateway.webhook('https://hooks.example/');
    const [foreign] = await emit(alone.gateway, 1);
    listen([await alone.watch(alone.context({ workspaceId: stranger.workspaceId }), {})]);
    alone.change([foreign as string]);
    while (alone.reads.length === 0) await setImmediate();
    expect(alone.reads).toEqual([0]);
    expect(reads).toHaveLength(1);
  });
});

test('a change is sent to a few watchers at a time, with other work in between', async () => {
  const { gateway, watch, context, change } = await startWatching();
  await gateway.webhook('https://hooks.example/');
  const ids = await emit(gateway, 4);
  const { until, count } = listen(await Promise.all(Array.from({ length: 100 }, () => watch(context(), {}))));
  change(ids);
  let before = 0;
  let most = 0;
  while (count() < 400) {
    await setImmediate();
    most = Math.max(most, count() - before);
    before = count();
  }
  await until(400);
  // Those of one turn, and those whose turn begins while this one is counted.
  expect(most).toBeLessThanOrEqual(16);
});

test('a watcher that stops is removed, even if it never began to read', async () => {
  const { stop, listeners, watch, context } = await startWatching();
  const leaving = new AbortController();
  await watch(context({}, leaving.signal), {});
  const reading = await watch(context(), {});
  const next = reading.next();
  expect(listeners.size).toBe(1);
  leaving.abort();
  stop.abort();
  expect(await next).toMatchObject({ done: true });
  expect(listeners.size).toBe(0);
});

test('a watcher loses the oldest beyond its number, and gets the newest state of each', () => {
  const watcher = new Watcher<null, string>(null);
  for (let n = 0; n <= maxUnread; n += 1) watcher.post(String(n), 'first');
  watcher.post('2', 'second');
  const taken: unknown[] = [];
  for (let next = watcher.take(); next !== 'empty' && next !== null; next = watcher.take()) taken.push(next.state);
  expect(taken).toEqual([...Array(maxUnread - 1).fill('first'), 'second']);
});
