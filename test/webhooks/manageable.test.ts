/** The guard of webhooks, on every database. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forgetStatistics } from '../../src/capabilities/webhooks/destinations.ts';
import { changeChecked, changeWebhook, requireManageableWebhook } from '../../src/capabilities/webhooks/manageable.ts';
import { removeWebhook } from '../../src/capabilities/webhooks/removal.ts';
import type { Caller } from '../../src/kernel/caller.ts';
import { notifyingTransaction } from '../../src/store/notifications.ts';
import { allBackends, type SeededWorkspace, type Served } from '../support/backends.ts';

describe.each(allBackends.filter(({ serves }) => serves.accounts))(
  'a webhook that a key may manage, $name',
  ({ name, start, serves }) => {
    const kind = name.includes('Postgres') ? 'postgres' : 'sqlite';
    let served: Served;
    let workspace: SeededWorkspace;
    beforeAll(async () => {
      served = await start();
      workspace = await served.workspace();
    });
    afterAll(() => served.close());

    const callerFor = (accountId: string): Caller => ({
      keyId: 'key',
      keyName: 'key',
      workspaceId: workspace.workspaceId,
      workspaceName: 'workspace',
      scopes: new Set(),
      accountIds: new Set([accountId]),
      expiresAt: null,
    });

    test('is not changed or deleted when it has been given to other accounts since it was checked', async () => {
      const { database } = served;
      const [own, other] = [await workspace.account(), await workspace.account()];
      const id = await workspace.webhook({ account_ids: JSON.stringify([own]) });
      const webhook = await requireManageableWebhook(database, callerFor(own), id);
      const row = () => database.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
      await database
        .updateTable('webhooks')
        .set({ account_ids: JSON.stringify([own, other]) })
        .where('id', '=', id)
        .execute();
      const before = await row();
      expect(await changeWebhook(database, webhook, { request_url: 'https://attacker.example/' })).toBe(false);
      expect(await removeWebhook(notifyingTransaction(database), webhook)).toBe(false);
      expect(await row()).toEqual(before);
      await expect(requireManageableWebhook(database, callerFor(own), id)).rejects.toMatchObject({
        type: 'errors/account_mismatch',
      });
    });

    test('that others give away each time it was checked is an error that can be tried again', async () => {
      const { database } = served;
      const [own, other] = [await workspace.account(), await workspace.account()];
      const id = await workspace.webhook({ account_ids: JSON.stringify([own]) });
      const lists = [
        [own, other],
        [other, own],
      ].map((list) => JSON.stringify(list));
      const caller = { ...callerFor(own), accountIds: new Set([own, other]) };
      let tries = 0;
      const changed = changeChecked(database, caller, id, async (webhook) => {
        tries += 1;
        const account_ids = lists[tries % 2] ?? '';
        await database.updateTable('webhooks').set({ account_ids }).where('id', '=', id).execute();
        return (await changeWebhook(database, webhook, { name: 'changed' })) ? true : null;
      });
      await expect(changed).rejects.toMatchObject({ type: 'errors/service_unavailable' });
      expect(tries).toBe(5);
    });

    test('is the only kind that functions which change webhooks accept', async () => {
      const { database } = served;
      const id = await workspace.webhook();
      const row = await database.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      // @ts-expect-error a row that no guard has returned
      await changeWebhook(database, row, {});
      // @ts-expect-error
      await database.transaction().execute((transaction) => forgetStatistics(transaction, row));
      // @ts-expect-error
      await removeWebhook(notifyingTransaction(database, kind), kind, row);
    });

    test('cannot be reached by an id that is malformed, unknown or of another workspace', async () => {
      const refused = (id: string) =>
        requireManageableWebhook(served.database, callerFor('a'), id).catch(({ type }) => type as string);
      expect(await refused('malformed')).toBe('errors/invalid_resource_identifier');
      expect(await refused(randomBytes(16).toString('base64url'))).toBe('errors/resource_not_found');
      // Where all keys share a workspace, there is no other.
      if (serves.workspaces)
        expect(await refused(await (await served.workspace()).webhook())).toBe('errors/resource_not_found');
    });
  },
);
