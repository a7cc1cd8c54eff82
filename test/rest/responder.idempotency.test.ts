/** `Idempotency-Key` over REST: what a repetition gets. What is stored is the concern of `store/idempotency.test.ts`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobScenarioName } from '../../src/providers/sandbox/networks.ts';
import { type SeededWorkspace, seeded } from '../support/backends.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { rest } from '../support/rest.ts';

describe('Idempotency-Key', () => {
  let gateway: Gateway;
  let workspace: SeededWorkspace;
  let account: string;
  /** How often the network was asked to publish. */
  let published = 0;

  beforeAll(async () => {
    gateway = await startGateway({
      providers: (all) => ({
        ...all,
        PNET: {
          ...all.PNET,
          async publish(...args) {
            published += 1;
            return all.PNET.publish(...args);
          },
        },
      }),
    });
    workspace = await seeded(gateway, gateway.address).workspace();
    account = await workspace.account();
  });
  afterAll(() => gateway.close());

  const draft = (scenario: JobScenarioName) => workspace.draft({ accountId: account, scenario });
  const send = (method: string, path: string, key: string, body: object, apiKey = workspace.key) =>
    rest(gateway.address, apiKey, method, path, {
      body: { account_id: account, ...body },
      headers: { 'idempotency-key': key },
    });
  const publish = (draftId: string, key: string, body: object = {}) =>
    send('POST', `/v1/pnet/jobs/${draftId}/publish`, key, { mode: 'FREE', ...body });

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

  test('a key that comes with another body or another id in the path is refused, also after a refusal', async () => {
    const id = await draft('otp');
    expect((await publish(id, 'other-body', { ['x'.repeat(500_000)]: 1 })).status).toBe(400);
    await publish(id, 'other-body');
    const other = await publish(id, 'other-body', { hiring_photo_frame: true });
    expect([other.status, other.body.type]).toEqual([400, 'errors/invalid_parameters']);
    expect((await publish(await draft('otp'), 'other-body')).body.type).toBe('errors/invalid_parameters');
  });

  test('EDIT refuses such a key with 422, as it has no 400', async () => {
    const id = await draft('publish');
    const edit = (workplace: string) => send('PATCH', `/v1/pnet/jobs/${id}`, 'edit', { workplace });
    expect((await edit('REMOTE')).status).toBe(200);
    expect((await edit('REMOTE')).headers.get('idempotency-replayed')).toBe('true');
    const other = await edit('HYBRID');
    expect([other.status, other.body.type]).toEqual([422, 'errors/unprocessable_entity']);
  });

  test('an API key that is limited to other accounts does not see the response', async () => {
    const id = await draft('publish');
    await publish(id, 'limited');
    const limited = await workspace.newKey({ accountIds: [await workspace.account()] });
    const refused = await send('POST', `/v1/pnet/jobs/${id}/publish`, 'limited', { mode: 'FREE' }, limited);
    expect([refused.body.type, refused.headers.get('idempotency-replayed')]).toEqual(['errors/account_mismatch', null]);
  });

  test.each([
    ['1028', 'PATCH', '', { workplace: 'REMOTE' }, 'edit-timeout'],
    ['1029', 'POST', '/publish', { mode: 'FREE' }, 'response-lost'],
  ] as const)(
    'the network does not respond in time, as for the job %s: the same error again',
    async (_id, method, command, body, scenario) => {
      const id = await draft(scenario);
      const first = await send(method, `/v1/pnet/jobs/${id}${command}`, id, body);
      expect(first).toMatchObject({
        status: 504,
        body: { type: 'errors/request_timeout', detail: expect.stringContaining('outcome is unknown') },
      });
      const again = await send(method, `/v1/pnet/jobs/${id}${command}`, id, body);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect({ ...again.body, instance: '' }).toEqual({ ...first.body, instance: '' });
    },
  );

  test('a key of more than 255 characters is refused', async () => {
    const id = await draft('publish');
    expect((await publish(id, 'x'.repeat(256))).body.type).toBe('errors/invalid_parameters');
  });
});
