/** What dead processes have claimed is due again at once; what others have claimed stays theirs. */
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { claimTokenOf } from '../../src/delivery/claim.ts';
import { freeDeadClaims } from '../../src/delivery/dead-claims.ts';
import type { DatabaseKind } from '../../src/store/json.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

it.each(databases)('claims of dead processes are freed, and no others, on $name', async (dialect) => {
  const gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 }, after: () => () => {} } });
  const { database } = gateway.app;
  await gateway.webhook('https://hooks.example/');
  const tokens = ['dead0000', 'a11fe000', '00000000'].map((id) => claimTokenOf(id, 'unique'));
  const ofEarlierVersion = 'a'.repeat(22);
  const ids: string[] = [];
  for (const claim_token of [...tokens, ofEarlierVersion, null]) {
    const { deliveries } = await gateway.emit('a');
    await database.updateTable('deliveries').set({ claim_token, next_at: 7 }).where('id', 'in', deliveries).execute();
    ids.push(...deliveries);
  }
  const asked: string[][] = [];
  const presence = {
    id: '00000000',
    findDead: async (ids: readonly string[]) => {
      asked.push([...ids].sort());
      return ['dead0000'];
    },
  };
  const { transaction } = gateway.delivery.notifications;
  const kind: DatabaseKind = dialect.name === 'SQLite' ? 'sqlite' : 'postgres';
  const context = { database, kind, transaction, presence, logger: pino({ level: 'silent' }), after: () => () => {} };
  expect(await freeDeadClaims(context)).toBe(1);
  expect(asked).toEqual([['a11fe000', 'dead0000']]);
  const stored = new Map((await gateway.deliveries()).map((delivery) => [delivery.id, delivery]));
  expect(ids.map((id) => [stored.get(id)?.claim_token, stored.get(id)?.next_at])).toEqual([
    [null, 0],
    [tokens[1], 7],
    [tokens[2], 7],
    [ofEarlierVersion, 7],
    [null, 7],
  ]);
  await gateway.close();
});

const [, postgres] = databases;

it.skipIf(postgres === undefined)(
  'a process that cannot listen any more keeps what it has claimed',
  async () => {
    if (postgres === undefined) return;
    const place = await postgres.withSchema();
    onTestFinished(place.drop);
    const proxy = await startTcpProxy(place.url);
    onTestFinished(proxy.close);
    const on = (url: string) => ({ ...postgres, withSchema: async () => ({ ...place, url, drop: async () => {} }) });
    const receiver = await startReceiver();
    onTestFinished(receiver.close);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    receiver.answer = (_request, response) => void answered.then(() => response.end());

    const deaf = await startDelivering({ dialect: on(proxy.through(place.url)) });
    onTestFinished(deaf.close);
    await deaf.webhook(receiver.address);
    await deaf.emit('a');
    await receiver.waitFor(1);
    const other = await startDelivering({ dialect: on(place.url) });
    onTestFinished(other.close);
    proxy.cut('listen postern_');
    const since = performance.now();
    const lost = () => deaf.log.filter(({ msg }) => String(msg).startsWith('lost the notifications'));
    // A process counts as dead when it was missing for three seconds.
    await expect.poll(() => performance.now() - since).toBeGreaterThan(8_000);
    expect(lost()).toHaveLength(1);
    answer();
    await expect.poll(async () => (await deaf.deliveries()).map(({ state }) => state)).toEqual(['succeeded']);
    expect(receiver.received).toHaveLength(1);
    expect(other.log.filter(({ msg }) => String(msg).startsWith('freed'))).toEqual([]);
  },
  60_000,
);
