/** Routing: every endpoint under both prefixes, and what is served at any other path, on every backend. */
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { endpoints } from '../../src/rest/endpoints.ts';
import { allBackends, onOneDatabase } from '../support/backends.ts';
import { rest } from '../support/rest.ts';
import { expectError, fieldsOf, serveRest } from '../support/serve-rest.ts';

describe.each(onOneDatabase(allBackends))('over the $name backend', (backend) => {
  const api = serveRest(backend);
  const { send, draft } = api;

  describe('the endpoints', () => {
    test.each(['/v1', '/api/v1'])('all seven respond under %s as the contract says', async (prefix) => {
      const jobId = await draft();
      const edited = await send('PATCH', `${prefix}/pnet/jobs/${jobId}`, { body: { account_id: api.account } });
      expect([edited.status, edited.body]).toEqual([200, { object: 'PnetJobPostingEdited', job_id: jobId }]);

      const posts = await send('GET', `${prefix}/users/ACoSandbox1/posts?account_id=${api.account}`);
      expect(posts.status).toBe(200);
      expect(posts.body).toMatchObject({ object: 'PostList', cursor: null, paging: { page_count: 1 } });
      expect(Object.keys(posts.body).sort()).toEqual(fieldsOf('fields of the post list'));

      const created = await send('POST', `${prefix}/webhooks`, {
        body: { source: 'users', request_url: 'https://hooks.example/in' },
      });
      expect([created.status, created.body]).toEqual([
        201,
        { object: 'WebhookCreated', webhook_id: expect.stringMatching(/^[\w-]{22}$/) },
      ]);
      const list = await send('GET', `${prefix}/webhooks`);
      expect(list.status).toBe(200);
      expect(list.body).toMatchObject({ object: 'WebhookList', cursor: null });
      expect(list.body.items.at(-1).id).toBe(created.body.webhook_id);
      const deleted = await send('DELETE', `${prefix}/webhooks/${created.body.webhook_id}`);
      expect([deleted.status, deleted.body]).toEqual([200, { object: 'WebhookDeleted' }]);

      const draftId = await draft({ scenario: 'otp' });
      const published = await send('POST', `${prefix}/pnet/jobs/${draftId}/publish`, {
        body: { account_id: api.account, mode: 'FREE' },
      });
      expect([published.status, published.body]).toEqual([
        200,
        { object: 'PnetJobPostingPublishCheckpoint', type: 'OTP', job_id: draftId },
      ]);
      const solved = await send('POST', `${prefix}/pnet/jobs/${draftId}/checkpoint`, {
        body: { account_id: api.account, input: '123456' },
      });
      expect([solved.status, solved.body]).toEqual([
        200,
        { object: 'PnetJobPostingPublished', job_state: 'active', job_id: draftId },
      ]);
    });

    test.each(endpoints)('$method $path is refused with another method', async ({ path }) => {
      const response = await send('PUT', `/v1${path.replace(/\{\w+\}/g, '1')}`, { body: {} });
      expectError(response, 400, 'malformed_request');
      const methods = endpoints.filter((each) => each.path === path).map(({ method }) => method);
      expect(
        response.headers
          .get('allow')
          ?.split(', ')
          .filter((method) => method !== 'HEAD')
          .sort(),
      ).toEqual(methods.sort());
    });

    test('an unknown path is a 404 with the envelope, with or without a key', async () => {
      for (const path of [
        '/v1',
        '/v1/',
        '/v1/nothing',
        '/api/v1/webhooks/a/b',
        '/v2/webhooks',
        '/v1/pnet/jobs/1/close',
      ]) {
        expectError(await send('GET', path), 404, 'resource_not_found');
        expectError(await rest(api.served.address, undefined, 'POST', path, { body: {} }), 404, 'resource_not_found');
      }
    });

    test('the request id of the client is in the header and the envelope', async () => {
      const brought = await send('DELETE', '/v1/webhooks/malformed', { headers: { 'x-request-id': 'mine-12345' } });
      expect([brought.headers.get('x-request-id'), brought.body.instance]).toEqual(['mine-12345', 'mine-12345']);
    });

    test('a request line that is not HTTP is refused', async () => {
      const { hostname, port } = new URL(api.served.address);
      const socket = connect(Number(port), hostname);
      socket.end('GET /v1/web hooks HTTP/1.1\r\nHost: x\r\n\r\n');
      const response = (await socket.setEncoding('utf8').toArray()).join('');
      expect(response).toMatch(/^HTTP\/1\.1 400 /);
      expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({
        type: 'errors/malformed_request',
        status: 400,
      });
    });
  });
});
