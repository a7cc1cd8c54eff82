/** Which deliveries a key can see: the rule in memory and the rule in SQL say the same, on every database and in front of a service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canSee, visibleDeliveries } from '../../src/capabilities/deliveries/visibility.ts';
import type { Caller } from '../../src/kernel/caller.ts';
import { type DeliveringGateway, deliverySetUps, startDelivering } from '../support/deliveries.ts';

describe.each(deliverySetUps)('the deliveries that a key can see, on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let other: string;
  beforeAll(async () => {
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
    other = await gateway.space.account();
    await gateway.webhook('https://hooks.example/');
    for (const accountId of [gateway.accountId, other, null]) {
      await gateway.delivery.emit({
        workspaceId: gateway.space.workspaceId,
        accountId,
        accountType: null,
        source: 'users',
        event: 'new_relation',
        data: {},
      });
    }
  });
  afterAll(() => gateway.close());

  const callerFor = (accountIds: readonly string[] | null, workspaceId: string): Caller => ({
    keyId: 'key',
    keyName: 'key',
    workspaceId,
    workspaceName: 'workspace',
    scopes: new Set(),
    accountIds: accountIds && new Set(accountIds),
    expiresAt: null,
  });

  it('are those of its accounts; a limited key sees no event without an account', async () => {
    const all = await gateway.deliveries();
    expect(all).toHaveLength(3);
    const { accountId: own, space } = gateway;
    const cases: [readonly string[] | null, string, (string | null)[]][] = [
      [null, space.workspaceId, [own, other, null]],
      [[own], space.workspaceId, [own]],
      [[own, other], space.workspaceId, [own, other]],
      [[''], space.workspaceId, []],
      [[], space.workspaceId, []],
      [null, 'another', []],
      [[own], 'another', []],
    ];
    for (const [accountIds, workspaceId, expected] of cases) {
      const caller = callerFor(accountIds, workspaceId);
      const inMemory = all.filter((row) => canSee(caller, row)).map((row) => row.account_id);
      const inSql = (await visibleDeliveries(gateway.app.database, caller).execute()).map((row) => row.account_id);
      expect(new Set(inMemory)).toEqual(new Set(expected));
      expect(new Set(inSql)).toEqual(new Set(expected));
    }
  });
});
