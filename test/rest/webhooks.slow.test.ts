/** WHLIST, WHCREATE and WHDEL: a case for every field of the contract, over REST on every backend, and over GraphQL. */
import { describe, expect, test } from 'vitest';
import { webhookFormats } from '../../src/capabilities/webhooks/shapes.ts';
import { webhookDataKeys, webhookSourceNames, webhookSources } from '../../src/events/sources.ts';
import { allBackends, onOneDatabase } from '../support/backends.ts';
import { facesOver } from '../support/faces.ts';
import { rest } from '../support/rest.ts';
import { noFlag, noText, type Samples, urls } from '../support/samples.ts';
import { expectError, fieldsOf, serveRest } from '../support/serve-rest.ts';

const create: Samples = {
  source: { good: webhookSourceNames, bad: ['sms', 1] },
  request_url: urls,
  name: { good: ['Mine', ''], bad: [...noText, 'x'.repeat(256)] },
  format: { good: webhookFormats, bad: ['xml', null] },
  enabled: { good: [true, false], bad: noFlag },
  account_ids: { good: [[]], bad: ['a', [1], null] },
  events: { good: [[], ['new_relation']], bad: [['message_received'], ['unknown'], 'new_relation', null] },
  headers: {
    good: [[], [{ key: 'X-Mine', value: 'v' }]],
    bad: [[{ key: 'X-Mine' }], [{ value: 'v' }], [{ key: '', value: '' }], {}, null],
  },
  data: {
    good: [[], [{ name: 'who', key: 'user_provider_id' }]],
    bad: [
      [{ name: 'who', key: 'chat_id' }],
      [{ key: 'account_id' }],
      [{ name: 'a' }],
      [{ name: 'a', key: 'account_id', x: 1 }],
      {},
    ],
  },
};

test('the samples have every field of the contract', () => {
  expect(Object.keys(create).sort()).toEqual(fieldsOf('fields of the create body'));
});

describe.each(onOneDatabase(allBackends))('over the $name backend', (backend) => {
  const api = serveRest(backend);
  const { send } = api;

  describe('webhooks', () => {
    const body = { source: 'users', request_url: 'https://hooks.example/in' };
    const make = (more: object) => send('POST', '/v1/webhooks', { body: { ...body, ...more } });
    const read = async (id: string) =>
      (await send('GET', '/v1/webhooks?limit=250')).body.items.find((each: { id: string }) => each.id === id);

    describe.each(facesOver(backend))('over $name', (face) => {
      const asked = (more: object) => api.ask(face, 'WHCREATE', { ...body, ...more });

      test.each(Object.entries(create))('%s', async (name, { good, bad }) => {
        for (const value of good) {
          const { object, id = '' } = await asked({ [name]: value });
          expect(object, JSON.stringify(value)).toBe('WebhookCreated');
          const stored = (await read(id))[name];
          // Of all, or none.
          if (name === 'source' || value === '' || (Array.isArray(value) && value.length === 0)) continue;
          expect(stored).toEqual(value);
        }
        for (const value of bad) {
          const { object, type, detail } = await asked({ [name]: value });
          if (face.coerces && (value === null || object !== undefined || name === 'account_ids')) continue;
          const expected =
            name === 'request_url' && value !== 1
              ? 'invalid_url'
              : String(value).length === 256
                ? 'too_many_characters'
                : / is required/.test(detail ?? '')
                  ? 'missing_parameters'
                  : 'invalid_parameters';
          expect([type, detail], JSON.stringify(value)).toEqual([
            `errors/${expected}`,
            expect.stringMatching(new RegExp(`${name}|${face.nameOf(name)}`)),
          ]);
        }
      });

      test.each(webhookSourceNames)('%s accepts its own events and keys, and no others', async (source) => {
        const { events, keys } = webhookSources[source];
        const data = keys.map((key) => ({ name: `my_${key}`, key }));
        const { id = '' } = await asked({ source, events, ...(keys.length === 0 ? {} : { data }) });
        expect(await read(id)).toMatchObject({ object: 'Webhook', type: 'AUTO', events, data });
        const { id: usual = '' } = await asked({ source });
        expect(await read(usual)).toMatchObject({ events, data: keys.map((key) => ({ name: key, key })) });
        const misfit = { type: 'errors/invalid_parameters', status: 400 };
        for (const other of webhookSourceNames.filter((each) => each !== source))
          expect(await asked({ source, events: [webhookSources[other].events[0]] })).toMatchObject(misfit);
        const foreign = webhookDataKeys.filter((key) => !(keys as readonly string[]).includes(key));
        for (const key of ['no_key', ...foreign.slice(0, 3)])
          expect(await asked({ source, data: [{ name: 'a', key }] })).toMatchObject(misfit);
      });
    });

    test('the error names every missing field', async () => {
      const response = await send('POST', '/v1/webhooks', { body: {} });
      expectError(response, 400, 'missing_parameters', /source is required; request_url is required/);
      expectError(await make({ secret: 1 }), 400, 'invalid_parameters', /secret is not a field/);
      expectError(
        await make({ request_url: `https://hooks.example/${'x'.repeat(2_048)}` }),
        400,
        'too_many_characters',
      );
    });

    test('the list has webhooks of both kinds, with the fields of the contract', async () => {
      const auto = (await make({ account_ids: [api.account], name: 'Mine', headers: [{ key: 'X-Mine', value: 'v' }] }))
        .body.webhook_id;
      const trigger = await api.workspace.webhook({ trigger: { icon: 'WebhookIcon', name: 'Send', context: 'CHAT' } });
      expect(Object.keys(await read(auto)).sort()).toEqual(fieldsOf('fields of a webhook'));
      expect(await read(auto)).toMatchObject({
        enabled: true,
        format: 'json',
        account_ids: [{ id: api.account, name: 'PNET', type: 'PNET' }],
        headers: [{ key: 'X-Mine', value: 'v' }],
      });
      expect(await read(trigger)).toMatchObject({
        type: 'TRIGGER',
        events: [],
        trigger: { icon: 'WebhookIcon', name: 'Send', context: 'CHAT' },
      });
    });

    test('limit is 1 to 250, by default 100; a higher one is errors/limit_too_high', async () => {
      const own = await api.served.emptyWorkspace();
      for (let count = 0; count < 251; count += 1) await own.webhook();
      const list = (query: string) => rest(api.served.address, own.key, 'GET', `/v1/webhooks${query}`);
      expect((await list('')).body.items).toHaveLength(100);
      const first = await list('?limit=250');
      expect(first.body.items).toHaveLength(250);
      const last = await list(`?limit=250&cursor=${encodeURIComponent(first.body.cursor)}`);
      expect([last.body.items.length, last.body.cursor]).toEqual([1, null]);
      for (const limit of ['251', '99999999999999999999']) {
        expectError(await list(`?limit=${limit}`), 400, 'limit_too_high', /limit/);
      }
      for (const limit of ['0', '-1', 'x', '1.5', 'Infinity', '1&limit=2']) {
        expectError(await list(`?limit=${limit}`), 400, 'invalid_parameters', /limit/);
      }
      for (const cursor of ['', 'AAAA'])
        expectError(await list(`?cursor=${cursor}`), 400, 'invalid_parameters', /cursor/);
    });

    test('a deleted webhook is gone for good', async () => {
      const id = (await make({})).body.webhook_id;
      const json = { headers: { 'content-type': 'application/json' } };
      expect((await send('DELETE', `/v1/webhooks/${id}`, json)).status).toBe(200);
      expectError(await send('DELETE', `/v1/webhooks/${id}`), 404, 'resource_not_found');
      expect(await read(id)).toBeUndefined();
    });
  });
});
