/** Settling and claiming in one transaction, on every database. */
import { expect, it } from 'vitest';
import { announcements } from '../../src/delivery/notifications.ts';
import { makeTurn } from '../../src/delivery/queue-transaction.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';

it.each(databases)('the first transaction claims what a new webhook is due, on $name', async (dialect) => {
  // A worker without room claims nothing itself.
  const gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
  const { webhook_id } = await gateway.app.ports.webhooks.create(
    {
      caller: { workspaceId: gateway.space.workspaceId, accountIds: null } as never,
      requestId: 'r',
      signal: AbortSignal.timeout(5_000),
    },
    { request_url: 'https://hooks.example/', source: 'users' },
  );
  const {
    deliveries: [deliveryId],
  } = await gateway.emit('a');
  const { claimed } = await gateway.app.database.transaction().execute((transaction) =>
    makeTurn(
      transaction,
      { kind: dialect.name === 'SQLite' ? 'sqlite' : 'postgres', signals: announcements('sqlite', '') },
      {
        settlement: null,
        releases: [],
        demand: { places: 10, rooms: new Map(), otherRoom: 8, after: '' },
        claim: 'claim',
        leaseMs: 45_000,
        latestFirst: false,
        now: gateway.clock.now.getTime(),
      },
    ),
  );
  expect(claimed).toMatchObject([{ webhook: { id: webhook_id }, deliveries: [{ deliveryId, number: 1 }] }]);
  await gateway.close();
});
