/** The terms of an upstream that are not the contract's, through the whole gateway. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  envelope,
  json,
  listPosts,
  pnetPost,
  postList,
  proxyTo,
  type Stub,
  startStub,
  webhook,
} from '../support/stub.ts';

describe('the terms of UPSTREAM_NAMES', () => {
  const names = {
    path_segments: { pnet: 'acme', v1: 'v9' },
    job_objects: { PnetJobPostingEdited: 'AcmeJobEdited' },
    apply_methods: { pnet: 'acme' },
    workplaces: { ON_SITE: 'office' },
    providers: { PNET: 'ACME' },
    attachment_types: { pnet_post: 'acme_post' },
    account_types: { PNET: 'ACME', MAIL: 'PNET' },
    trigger_icons: { PnetIcon: 'AcmeIcon' },
    errors: { resource_not_found: 'gone' },
  };

  async function gatewayWith(stub: Stub, table: unknown) {
    const { directory } = await proxyTo(stub);
    const file = join(directory, 'names.json');
    await writeFile(file, typeof table === 'string' ? table : JSON.stringify(table));
    return proxyTo(stub, { environment: { UPSTREAM_NAMES: file } });
  }

  test('are encoded in requests and decoded from responses', async () => {
    const stub = await startStub((request, response) => {
      if (request.method === 'PATCH') json(response, 200, { object: 'AcmeJobEdited', job_id: '7' });
      else if (request.method === 'DELETE') json(response, 404, envelope('gone', 404));
      else if (request.path.includes('webhooks')) {
        const trigger = { icon: 'AcmeIcon', name: 'T', context: 'CHAT' };
        const account_ids = ['ACME', 'PNET', 'MSGR'].map((type) => ({ id: type, type }));
        json(response, 200, {
          object: 'WebhookList',
          items: [webhook('w', { type: 'TRIGGER', trigger, account_ids })],
          cursor: null,
        });
      } else {
        const attachments = [{ type: 'acme_post', id: 'x', unavailable: false }];
        json(response, 200, postList([pnetPost('1', { provider: 'ACME', attachments }), null, 7]));
      }
    });
    const gateway = await gatewayWith(stub, names);
    const edit = await gateway.rest('PATCH', '/v1/pnet/jobs/7', {
      account_id: 'a1',
      workplace: 'ON_SITE',
      apply_method: { type: 'pnet', notification_email: 'a@b.example', resume_required: true },
    });
    expect(await edit.json()).toEqual({ object: 'PnetJobPostingEdited', job_id: '7' });
    expect(stub.received[0]?.path).toBe('/v9/acme/jobs/7');
    expect(JSON.parse(stub.received[0]?.body ?? '')).toMatchObject({
      workplace: 'office',
      apply_method: { type: 'acme' },
    });
    expect((await gateway.ask(listPosts)).data.posts.nodes[0]).toMatchObject({
      __typename: 'PnetPost',
      attachments: [{ type: 'PNET_POST' }],
    });
    const hooks = await gateway.ask('{ webhooks { nodes { accounts { type } trigger { icon } } } }');
    expect(hooks.data.webhooks.nodes[0]).toEqual({
      accounts: [{ type: 'PNET' }, { type: 'MAIL' }, { type: 'MSGR' }],
      trigger: { icon: 'PNET_ICON' },
    });
    const deletion = await gateway.ask(
      'mutation { deleteWebhook(input: { webhookId: "w" }) { ... on ServiceError { code } } }',
    );
    expect(deletion.data.deleteWebhook.code).toBe('RESOURCE_NOT_FOUND');
  });

  test.each([
    ['invalid JSON', '{', 'a JSON object'],
    ['a list', '[]', 'a JSON object'],
    ['values that are no texts', { providers: { PNET: 1 } }, '"providers" is not an object of strings'],
    ['an unknown vocabulary', { colours: {} }, 'no vocabulary "colours"'],
    ['an unknown term', { providers: { ACME: 'PNET' } }, 'no term "ACME" in "providers"'],
    ['two terms of one name', { providers: { PNET: 'PHOTONET' } }, 'two terms of "providers"'],
    ['a path segment that is none', { path_segments: { pnet: 'x?' } }, 'cannot stand in a path'],
    ['a path segment that leads elsewhere', { path_segments: { pnet: '../x' } }, 'cannot stand in a path'],
  ])('a file with %s stops the start', async (_what, table, message) => {
    await expect(gatewayWith(await startStub(), table)).rejects.toThrow(message);
  });
});
