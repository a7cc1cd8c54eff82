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
