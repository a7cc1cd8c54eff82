/** Bodies, paths and headers that no client should send, at every endpoint with a body, on every backend. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { endpoints } from '../../src/rest/endpoints.ts';
import { backends, onOneDatabase } from '../support/backends.ts';
import type { RestResponse } from '../support/rest.ts';
import { expectError, serveRest } from '../support/serve-rest.ts';

describe.each(onOneDatabase(backends))('over the $name backend', (backend) => {
  const api = serveRest(backend);
  const { send, post, patch, draft } = api;

  describe('a request that is malformed', () => {
    const withBody = endpoints
      .filter(({ body }) => body === true)
      .map(({ name, method, path }) => [name, method, `/v1${path.replace(/\{\w+\}/, '1')}`] as const);
    const bodies: [string, string | Uint8Array, RegExp][] = [
      ['text', 'hello', /not valid JSON/],
      ['cut off', '{"account_id":', /not valid JSON/],
      ['NaN', '{"account_id":NaN}', /not valid JSON/],
      ['Infinity', '{"account_id":-Infinity}', /not valid JSON/],
      ['a list', '[]', /must be a JSON object/],
      ['null', 'null', /must be a JSON object/],
      ['a text', '"x"', /must be a JSON object/],
      ['a number', '1', /must be a JSON object/],
      ['empty', '', /empty/],
      ['white space', ' \n ', /empty/],
      ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), /UTF-8/],
      ['duplicate keys', '{"a":1,"b":{"a":1},"a":2}', /field a twice/],
      ['duplicate keys in disguise', '{"account_id":"1","account\\u005fid":"2"}', /field account_id twice/],
      ['duplicate keys deep down', '{"x":[{"y":{"k" : 1,\t"k"\n:2}}]}', /field k twice/],
      ['__proto__', '{"__proto__":{"admin":true}}', /__proto__/],
      ['__proto__ in disguise', '{"a":[{"__pr\\u006fto__":1}]}', /__proto__/],
      ['constructor.prototype', '{"constructor":{"prototype":{}}}', /constructor/],
      ['10,000 levels of lists', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, /nested/],
      ['10,000 levels of objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, /nested/],
    ];

    test.each(withBody.flatMap((endpoint) => bodies.map((body) => [...endpoint, ...body] as const)))(
      '%s, %s %s: a body that is %s',
      async (name, method, path, _what, body, detail) => {
        const headers = { 'content-type': 'application/json' };
        const response = await send(method, path, { body, headers });
        if (name === 'EDIT') expectError(response, 422, 'unprocessable_entity', detail);
        else expectError(response, 400, 'malformed_request', detail);
      },
    );

    test.each(withBody)('%s: a body with a content coding, whatever it contains', async (name, method, path) => {
      const json = JSON.stringify({ account_id: 'x' });
      for (const [coding, body] of [
        ['gzip', gzipSync(json)],
        ['br', json],
        ['identity, gzip', json],
      ] as const) {
        const headers = { 'content-type': 'application/json', 'content-encoding': coding };
        const response = await send(method, path, { body: new Uint8Array(Buffer.from(body)), headers });
        if (name === 'EDIT') expectError(response, 422, 'unprocessable_entity', /without Content-Encoding/);
        else expectError(response, 400, 'malformed_request', /without Content-Encoding/);
      }
      const plain = await send(method, path, { body: json, headers: { 'content-encoding': 'Identity' } });
      expect(JSON.stringify(plain.body)).not.toContain('Content-Encoding');
    });

    test.each(withBody)('%s: a body that is too large, or of another type', async (name, method, path) => {
      const refused = (response: RestResponse, type: string, detail: RegExp) =>
        name === 'EDIT'
          ? expectError(response, 422, 'unprocessable_entity', detail)
          : expectError(response, 400, type, detail);
      const body = JSON.stringify({ input: 'x'.repeat(1_048_576) });
      refused(await send(method, path, { body }), 'content_too_large', /1048576 bytes/);
      const fields = Array.from({ length: 20_001 }, (_, n) => `"k${n}":1`).join();
      const headers = { 'content-type': 'application/json' };
      refused(await send(method, path, { body: `{${fields}}`, headers }), 'content_too_large', /20000 fields/);
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/jsonp',
        ';;',
        '',
      ]) {
        const response = await send(method, path, { body: '{}', headers: { 'content-type': type } });
        refused(response, 'malformed_request', /application\/json/);
      }
      const typed = await send(method, path, {
        body: '{}',
        headers: { 'content-type': 'Application/JSON; charset=utf-8' },
      });
      expect(typed.body.detail).toMatch(/is required/);
    });

    test('quotes, braces and colons in a text are no fields', async () => {
      const id = await draft();
      const description = '{"a":1,"a":2} \\" "description": \\';
      expect((await patch(id, { description })).status).toBe(200);
      expect((await api.workspace.job(id)).fields.description).toBe(description);
    });

    test('GET and DELETE with a JSON content type and no body are served', async () => {
      const headers = { 'content-type': 'application/json' };
      expect((await send('GET', '/v1/webhooks', { headers })).status).toBe(200);
      expect((await send('DELETE', `/v1/webhooks/${await api.workspace.webhook()}`, { headers })).status).toBe(200);
      const chunked = { ...headers, 'transfer-encoding': 'chunked' };
      expect((await send('DELETE', `/v1/webhooks/${await api.workspace.webhook()}`, { headers: chunked })).status).toBe(
        200,
      );
    });

    test.each(['%zz', '%', '%E0%A4', 'a%ffb', 'a"b', 'a<b', 'a{b}', 'a|b', 'a\\b', 'a^b', 'a`b', 'caf\u00e9'])(
      'a path with %s in it',
      async (id) => {
        expectError(await send('DELETE', `/v1/webhooks/${id}`), 400, 'unescaped_characters');
        expectError(await post(`/v1/pnet/jobs/${id}/publish`, { mode: 'FREE' }), 400, 'unescaped_characters');
        expectError(await post(`/v1/pnet/jobs/${id}/checkpoint`, { input: '1' }), 400, 'unescaped_characters');
        expectError(await patch(id, {}), 422, 'unprocessable_entity', /percent-encod/);
        expectError(
          await send('GET', `/v1/users/${id}/posts?account_id=${api.account}`),
          422,
          'unprocessable_entity',
          /percent-encod/,
        );
      },
    );

    test('a path that is encoded correctly has an id, though an unknown one', async () => {
      for (const id of ['caf%C3%A9', 'a%2Fb', 'a%25b', '%F0%9F%98%80', 'a%00b', '..%2f..']) {
        expectError(await send('DELETE', `/v1/webhooks/${id}`), 404, 'invalid_resource_identifier');
      }
      expectError(await send('DELETE', `/v1/webhooks/${'x'.repeat(256)}`), 400, 'too_many_characters', /id/);
    });

    test('a path parameter must not be in the body too', async () => {
      expectError(await patch('1', { job_id: '1' }), 422, 'unprocessable_entity', /job_id is a path parameter/);
      expectError(
        await post('/v1/pnet/jobs/1/publish', { mode: 'FREE', draft_id: '1' }),
        400,
        'invalid_parameters',
        /draft_id/,
      );
    });
  });
});
