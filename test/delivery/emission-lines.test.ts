/** Emissions of a workspace that wait for a locked row: they leave connections to other workspaces. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createEmissionLines } from '../../src/delivery/emission-lines.ts';
import { DatabaseFault } from '../../src/store/faults.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';

const [, postgres] = databases;

it('of a workspace that met a locked row one goes at once, until one is stored, and all in its line are refused', async () => {
  const locked = new DatabaseFault('slow', new Error('locked'));
  const inLine = createEmissionLines(2);
  const running: PromiseWithResolvers<void>[] = [];
  const emit = async (workspaceId = 'w') => {
    const emission = inLine(workspaceId, () => {
      const end = Promise.withResolvers<void>();
      running.push(end);
      return end.promise;
    });
    const [{ status }] = await Promise.allSettled([emission]);
    return status;
  };

  const met = [emit(), emit(), emit(), emit('other')];
  await sleep(0);
  expect(running).toHaveLength(3);
  running[2]?.resolve();
  running[0]?.reject(locked);
  await sleep(0);
  const later = [emit(), emit()];
  await sleep(0);
  // The second of those that met it still runs.
  expect(running).toHaveLength(3);
  running[1]?.reject(locked);
  expect(await Promise.all([...met, ...later])).toEqual([
    ...['rejected', 'rejected', 'rejected', 'fulfilled'],
    ...['rejected', 'rejected'],
  ]);

  const stored = [emit(), emit(), emit()];
  await sleep(0);
  expect(running).toHaveLength(4);
  running[3]?.resolve();
  await sleep(0);
  expect(running).toHaveLength(6);
  for (const end of running) end.resolve();
  expect(await Promise.all(stored)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
});

it.skipIf(postgres === undefined)(
  'a locked webhook leaves emissions of other workspaces alone, on Postgres',
  async () => {
    if (postgres === undefined) throw new Error('there is no Postgres');
    const gateway = await startDelivering({ dialect: postgres, delivery: { limits: { slots: 0 } } });
    onTestFinished(() => gateway.close());
    await gateway.webhook('https://hooks.example/');
    const other = await gateway.workspace();
    const accountId = await other.account();
    const somebody = new pg.Client({ connectionString: gateway.databaseUrl });
    await somebody.connect();
    await somebody.query('begin; select from webhooks for update');
    let isEmitting = true;
    let refused = 0;
    const emitAgain = async () => {
      while (isEmitting) {
        await gateway.emit('locked').catch(() => {
          refused += 1;
        });
      }
    };
    const emitting = Promise.all(Array.from({ length: 40 }, emitAgain));
    onTestFinished(async () => {
      isEmitting = false;
      await somebody.end();
      await emitting;
    });
    const event = { accountId, accountType: 'PNET', source: 'users', event: 'new_relation', data: {} } as const;
    for (let n = 0; n < 20; n += 1) {
      await gateway.delivery.emit({ ...event, workspaceId: other.workspaceId });
      await sleep(100);
    }
    expect(refused).toBeGreaterThan(0);
    isEmitting = false;
    await somebody.end();
    await emitting;
  },
);
