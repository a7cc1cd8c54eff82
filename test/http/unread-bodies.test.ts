/** A client that is still sending a body that is too large reads the response, whatever the endpoint and the form of the body. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { maxBodyBytes } from '../../src/http/request-bodies.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  ({ key } = await gateway.workspace());
});
afterAll(() => gateway.close());

/** A connection to the gateway, with what has arrived on it. */
function open() {
  const { hostname, port } = new URL(gateway.address);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  onTestFinished(() => void socket.destroy());
  const seen = { text: '', closed: false, error: null as Error | null };
  socket.on('data', (chunk: string) => {
    seen.text += chunk;
  });
  socket.on('error', (error) => {
    seen.error = error;
  });
  socket.on('close', () => {
    seen.closed = true;
  });
  return { socket, seen };
}

const total = maxBodyBytes + 500_000;
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
const forms = {
  'with a length': {
    header: `content-length: ${total}`,
    first: 'x'.repeat(1_000),
    rest: 'x'.repeat(total - 1_000),
  },
  'in chunks': {
    header: 'transfer-encoding: chunked',
    first: chunk(maxBodyBytes + 1_000),
    rest: `${chunk(400_000)}0\r\n\r\n`,
  },
} as const;

/** EDIT has another type for it. */
const refused = /(?:errors\/|"code":")(?:content_too_large|unprocessable_entity)/i;

const targets = ['POST /graphql', 'POST /v1/webhooks', 'PATCH /v1/pnet/jobs/1', 'POST /v1/pnet/jobs/1/publish'];

describe.each(targets)('%s', (target) => {
  const headOf = (header: string) =>
    `${target} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-api-key: ${key}\r\n${header}\r\n\r\n`;

  test.each(Object.entries(forms))(
    '%s: the response arrives, and the connection serves the next request',
    async (_form, { header, first, rest }) => {
      const { socket, seen } = open();
      socket.write(headOf(header) + first);
      await expect.poll(() => seen.text).toMatch(refused);
      socket.write(rest);
      socket.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n');
      await expect.poll(() => seen).toMatchObject({ text: expect.stringContaining('{"status":"alive"}'), error: null });
    },
  );

  test.each(Object.entries(forms))(
    '%s: a client that goes on for ever is cut off',
    async (_form, { header, first }) => {
      const { socket, seen } = open();
      socket.write(headOf(header) + first);
      await expect.poll(() => seen.text).toMatch(refused);
      await expect.poll(() => seen.closed).toBe(true);
    },
  );
});

describe('a client that waits for 100 Continue', () => {
  const headOf = (target: string, length: number, withKey: boolean) =>
    `${target} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nexpect: 100-continue\r\n` +
    `${withKey ? `x-api-key: ${key}\r\n` : ''}content-length: ${length}\r\n\r\n`;

  test.each(targets.flatMap((target) => [true, false].map((withKey) => ({ target, withKey }))))(
    'is not asked for a body that is refused: $target, with a key: $withKey',
    async ({ target, withKey }) => {
      const { socket, seen } = open();
      socket.write(headOf(target, total, withKey));
      await expect.poll(() => seen).toMatchObject({ closed: true, error: null });
      expect(seen.text).toMatch(/^HTTP\/1\.1 4/);
      expect(seen.text).toMatch(withKey ? refused : /^HTTP\/1\.1 401 /);
    },
  );

  test.each(targets)('reads the refusal of what it sends all the same: %s', async (target) => {
    const { socket, seen } = open();
    socket.write(headOf(target, total, false) + 'x'.repeat(total));
    await expect.poll(() => seen.closed).toBe(true);
    expect(seen).toMatchObject({ text: expect.stringMatching(/^HTTP\/1\.1 401 /), error: null });
  });

  test('is asked once for a body that is read, behind the response before', async () => {
    const { socket, seen } = open();
    const body = '{"query":"{ viewer { keyId } }"}';
    const head = headOf('POST /graphql', body.length, true);
    socket.write(`GET /livez HTTP/1.1\r\nhost: x\r\n\r\n${head}`);
    await expect.poll(() => seen.text).toMatch(/"alive"}HTTP\/1\.1 100 Continue\r\n\r\n$/);
    socket.write(body);
    await expect.poll(() => seen.text).toMatch(/100 Continue\r\n\r\nHTTP\/1\.1 200 [\s\S]*"keyId"/);
    expect(seen.text.match(/100 Continue/g)).toHaveLength(1);
  });
});
