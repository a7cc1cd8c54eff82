/** A body that nobody can read counts as one that can: whoever sends it has a limit. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxBodyBytes } from '../../src/http/request-bodies.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const bodies: Readonly<Record<string, string>> = {
  'of brackets': '['.repeat(maxBodyBytes),
  'that is cut off': '{"query":',
  'of no text': '\u0000',
  'that is too large': ' '.repeat(maxBodyBytes + 1),
  empty: '',
  'of another kind': '7',
};

const doors = ['application/json', 'text/event-stream', 'multipart/mixed;subscriptionSpec=1.0'];

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ environment: { KEYLESS_PER_MINUTE: '2', TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => gateway.close());

test.each(doors.flatMap((accept) => Object.keys(bodies).map((what) => [accept, what])))(
  'for a client that accepts %s a body %s',
  async (accept = '', what = '') => {
    const ofClient = `192.0.2.${doors.indexOf(accept) * 10 + Object.keys(bodies).indexOf(what)}`;
    const headers = { 'content-type': 'application/json', accept, 'x-forwarded-for': ofClient };
    const send = async () => {
      const response = await fetch(`${gateway.address}/graphql`, { method: 'POST', headers, body: bodies[what] ?? '' });
      return response.text();
    };
    for (let at = 0; at < 2; at += 1) expect(await send()).not.toContain('SERVICE_UNAVAILABLE');
    expect(await send()).toContain('SERVICE_UNAVAILABLE');
  },
);
