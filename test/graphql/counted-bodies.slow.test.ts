/** A body that nobody can read counts as one that can: whoever sends it has a limit. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { maxBodyBytes } from '../../src/http/request-bodies.ts';
import { startGateway } from '../support/gateway.ts';

const bodies: Readonly<Record<string, string>> = {
  'of brackets': '['.repeat(maxBodyBytes),
  'that is cut off': '{"query":',
  'of no text': '\u0000',
  'that is too large': ' '.repeat(maxBodyBytes + 1),
  empty: '',
  'of another kind': '7',
};

const doors = ['application/json', 'text/event-stream', 'multipart/mixed;subscriptionSpec=1.0'];

describe.each(doors)('for a client that accepts %s', (accept) => {
  test.each(Object.entries(bodies))('a body %s', async (_what, body) => {
    const gateway = await startGateway({ environment: { KEYLESS_PER_MINUTE: '2' } });
    onTestFinished(() => gateway.close());
    const send = async () => {
      const headers = { 'content-type': 'application/json', accept };
      const response = await fetch(`${gateway.address}/graphql`, { method: 'POST', headers, body });
      return response.text();
    };
    for (let at = 0; at < 2; at += 1) expect(await send()).not.toContain('SERVICE_UNAVAILABLE');
    expect(await send()).toContain('SERVICE_UNAVAILABLE');
  });
});
