import { describe, expect, it } from 'vitest';
import { isBlockedPort } from '../../src/net/addresses.ts';
import { startGateway } from '../support/gateway.ts';
import { rest } from '../support/rest.ts';

describe('the port of a webhook', () => {
  it.each(['', '80', '443', '1024', '3000', '8080', '8443', '65535'])('may be %j', (port) => {
    expect(isBlockedPort(port)).toBe(false);
  });

  it('is none of another protocol', async () => {
    await using stack = new AsyncDisposableStack();
    const gateway = await startGateway();
    stack.defer(() => gateway.close());
    const { key } = await gateway.workspace();
    for (const port of ['22', '25', '0025', '465', '587', '993', '6667', '5060']) {
      const body = { source: 'users', request_url: `https://a.example:${port}/` };
      const answer = await rest(gateway.address, key, 'POST', '/v1/webhooks', { body });
      expect([answer.status, answer.body.type]).toEqual([400, 'errors/invalid_url']);
      expect(answer.body.detail).toContain('request_url must not have the port');
    }
  });
});
