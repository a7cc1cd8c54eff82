import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/app/config/config.ts';
import { findSecrets } from '../../src/kernel/secrets/secret.ts';
import { type JobScenarioName, sandboxNetworks } from '../../src/providers/sandbox/networks.ts';
import { type SeededWorkspace, seeded } from '../support/backends.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { rest } from '../support/rest.ts';
import { testSecret } from '../support/webhooks.ts';

describe.each(databases)('Idempotency-Key on $name', ({ withSchema }) => {
  let database: TestDatabase;
  let gateway: Gateway;
  let workspace: SeededWorkspace;
  let account: string;
  /** How often the network was asked to publish, and whether it breaks. */
  let published = 0;
  let broken = false;

  beforeAll(async () => {
    database = await withSchema();
    gateway = await startGateway({
      environment: { DATABASE_URL: database.url },
      providers: (all) => ({
        ...all,
        PNET: {
          ...all.PNET,
          async publish(...args) {
            published += 1;
            if (broken) throw new Error('broken');
            return all.PNET.publish(...args);
          },
        },
      }),
    });
    workspace = await seeded(gateway, gateway.address).workspace();
    account = await workspace.account();
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  const draft = (scenario: JobScenarioName) => workspace.draft({ accountId: account, scenario });
  const publish = (
    draftId: string,
    key: string,
    { body = {}, apiKey = workspace.key, address = gateway.address } = {},
  ) =>
    rest(address, apiKey, 'POST', `/v1/pnet/jobs/${draftId}/publish`, {
      body: { account_id: account, mode: 'FREE', ...body },
      headers: { 'idempotency-key': key },
    });

  test('the same key with the same body runs once and replays the response', async () => {
    const id = await draft('publish');
    const before = published;
    const first = await publish(id, 'same');
    const second = await publish(id, 'same');
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect(first.body).toEqual({ object: 'PnetJobPostingPublished', job_state: 'active', job_id: id });
    expect(published - before).toBe(1);
    // With another key the posting has been published already.
    expect((await publish(id, 'another')).body.type).toBe('errors/action_already_performed');
  });

  test('a refusal is not stored: the same request runs again', async () => {
    const stored = () => gateway.app.database.selectFrom('idempotent_responses').select('id').execute();
    const before = await stored();
    const id = await draft('not-free');
    for (let time = 0; time < 2; time += 1) {
      const refused = await publish(id, 'refused');
      expect([refused.status, refused.body.type]).toEqual([400, 'errors/invalid_parameters']);
      expect(refused.headers.get('idempotency-replayed')).toBeNull();
    }
    const invalid = await publish(id, 'invalid', { body: { ['x'.repeat(500_000)]: 1 } });
    expect(invalid.status).toBe(400);
    expect(await stored()).toEqual(before);
    // The key is free for the request that is right.
    expect((await publish(await draft('publish'), 'invalid')).status).toBe(200);
  });

  test('a key that comes with another body or another id in the path is refused', async () => {
    const id = await draft('otp');
    await publish(id, 'other-body');
    const other = await publish(id, 'other-body', { body: { hiring_photo_frame: true } });
    expect([other.status, other.body.type]).toEqual([400, 'errors/invalid_parameters']);
    expect((await publish(await draft('otp'), 'other-body')).body.type).toBe('errors/invalid_parameters');
  });

  test('EDIT refuses such a key with 422, as it has no 400', async () => {
    const id = await draft('publish');
    const edit = (workplace: string) =>
      rest(gateway.address, workspace.key, 'PATCH', `/v1/pnet/jobs/${id}`, {
        body: { account_id: account, workplace },
        headers: { 'idempotency-key': 'edit' },
      });
    expect((await edit('REMOTE')).status).toBe(200);
    expect((await edit('REMOTE')).headers.get('idempotency-replayed')).toBe('true');
    const other = await edit('HYBRID');
    expect([other.status, other.body.type]).toEqual([422, 'errors/unprocessable_entity']);
  });

  test('simultaneous requests with one key run once and get the same response', async () => {
    const id = await draft('slow');
    const before = published;
    const responses = await Promise.all([1, 2, 3].map(() => publish(id, 'at once')));
    expect(new Set(responses.map(({ text }) => text))).toEqual(new Set([responses[0]?.text]));
    expect(responses[0]?.status).toBe(200);
    expect(published - before).toBe(1);
  });

  test('equal keys of different API keys are different keys, in one workspace and in two', async () => {
    const body = { source: 'users', request_url: 'https://hooks.example/x', account_ids: [account] };
    const create = (apiKey: string, request: object = body) =>
      rest(gateway.address, apiKey, 'POST', '/v1/webhooks', { body: request, headers: { 'idempotency-key': 'same' } });
    const made = await create(workspace.key);
    expect(made.status).toBe(201);
    expect((await create(workspace.key)).body.webhook_id).toBe(made.body.webhook_id);
    const stranger = await gateway.workspace();
    expect((await create(stranger.key, { ...body, account_ids: [] })).status).toBe(201);
    // Neither blocked by the first nor told of it, whatever the request is.
    for (const apiKey of [await workspace.newKey({ accountIds: [account] }), await workspace.newKey()]) {
      const own = await create(apiKey);
      expect([own.status, own.headers.get('idempotency-replayed')]).toEqual([201, null]);
      expect(own.body.webhook_id).not.toBe(made.body.webhook_id);
    }
    const renamed = await create(await workspace.newKey(), { ...body, name: 'another' });
    expect(renamed.status).toBe(201);
  });

  test('an API key that is limited to other accounts does not see the response', async () => {
    const id = await draft('publish');
    await publish(id, 'limited');
    const limited = await workspace.newKey({ accountIds: [await workspace.account()] });
    const refused = await publish(id, 'limited', { apiKey: limited });
    expect([refused.body.type, refused.headers.get('idempotency-replayed')]).toEqual(['errors/account_mismatch', null]);
  });

  test('a request whose outcome is unknown is not carried out again, and gets the same error', async () => {
    const id = await draft('publish');
    const before = published;
    broken = true;
    const first = await publish(id, 'broken');
    expect(first.body).toMatchObject({
      type: 'errors/unexpected_error',
      detail: expect.stringContaining('outcome is unknown'),
    });
    broken = false;
    const second = await publish(id, 'broken');
    expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([500, 'true']);
    expect({ ...second.body, instance: '' }).toEqual({ ...first.body, instance: '' });
    expect(published - before).toBe(1);
  });

  test.each([
    ['1028', 'PATCH', 'edit-timeout'],
    ['1029', 'POST', 'response-lost'],
  ] as const)(
    'the network does not respond in time, as for the job %s: the same error again',
    async (_id, method, scenario) => {
      const id = await draft(scenario);
      const path = `/v1/pnet/jobs/${id}${method === 'POST' ? '/publish' : ''}`;
      const body = { account_id: account, ...(method === 'POST' ? { mode: 'FREE' } : { workplace: 'REMOTE' }) };
      const send = () =>
        rest(gateway.address, workspace.key, method, path, { body, headers: { 'idempotency-key': id } });
      const first = await send();
      expect(first).toMatchObject({
        status: 504,
        body: { type: 'errors/request_timeout', detail: expect.stringContaining('outcome is unknown') },
      });
      const again = await send();
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect({ ...again.body, instance: '' }).toEqual({ ...first.body, instance: '' });
    },
  );

  test('a response is stored for 24 hours, and survives a restart', async () => {
    const id = await draft('publish');
    const first = await publish(id, 'kept');
    const { app, clock } = gateway;
    // A second process on the same database.
    const now = () => clock.now;
    const config = readConfig({ PORT: '0', DEMO: 'off', DATABASE_URL: database.url, SECRET: testSecret });
    const restarted = await createApp(config, {
      logger: pino({ level: 'silent' }),
      secrets: await findSecrets(config, randomBytes),
      now,
      randomBytes,
      providers: sandboxNetworks({ clock: now }),
    });
    try {
      const again = await publish(id, 'kept', { address: await restarted.listen() });
      expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    } finally {
      await restarted.close();
    }
    const stored = app.database.selectFrom('idempotent_responses').select('expires_at');
    const { expires_at } = await stored.executeTakeFirstOrThrow();
    expect(Math.abs(expires_at - clock.now.getTime() - 24 * 60 * 60 * 1_000)).toBeLessThan(60_000);
    await app.database.updateTable('idempotent_responses').set({ expires_at: clock.now.getTime() }).execute();
    expect((await publish(id, 'kept')).body.type).toBe('errors/action_already_performed');
  });

  test('a request of a process that died is not carried out again: its outcome is unknown', async () => {
    const id = await draft('publish');
    await publish(id, 'died');
    await gateway.app.database
      .updateTable('idempotent_responses')
      .set({ status: null, body: null, claimed_until: 0 })
      .execute();
    const before = published;
    for (let time = 0; time < 2; time += 1) {
      const again = await publish(id, 'died');
      expect([again.status, again.headers.get('idempotency-replayed'), again.body]).toEqual([
        504,
        null,
        expect.objectContaining({
          type: 'errors/request_timeout',
          detail: expect.stringContaining('may have been carried out'),
        }),
      ]);
    }
    expect((await publish(id, 'died', { body: { hiring_photo_frame: true } })).body.type).toBe(
      'errors/invalid_parameters',
    );
    expect(published).toBe(before);
  });

  test('a key of more than 255 characters is refused', async () => {
    const id = await draft('publish');
    expect((await publish(id, 'x'.repeat(256))).body.type).toBe('errors/invalid_parameters');
  });
});
