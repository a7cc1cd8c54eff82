/** Bodies that arrive: in any pieces, from anybody, and slowly. */
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bodyLimits, maxBodyBytes, maxBodyChunks, RequestBodies } from '../../src/http/request-bodies.ts';
import type { ServiceError } from '../../src/kernel/errors.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { sendBytes } from '../support/raw-http.ts';

describe('a body', () => {
  const never = (failure: ServiceError) => {
    throw failure;
  };

  test('is what its chunks are together', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 9_000 }), { maxLength: 20 }), (chunks) => {
        const bodies = new RequestBodies();
        const body = bodies.open(never);
        const own = chunks.map((chunk) => Buffer.from(chunk));
        for (const chunk of own) body.append(chunk);
        expect(body.whole()).toEqual(Buffer.concat(chunks));
        // Chunks are another's memory.
        expect(own).toEqual(chunks.map((chunk) => Buffer.from(chunk)));
        body.release();
        body.release();
        expect(bodies.bytes).toBe(0);
      }),
    );
  });

  test.each([
    ['chunks', maxBodyChunks, 1],
    ['bytes', 16, maxBodyBytes / 16],
  ])('has at most so many %s', (_what, most, length) => {
    const failures: ServiceError[] = [];
    const bodies = new RequestBodies();
    const body = bodies.open((failure) => failures.push(failure));
    for (let at = 0; at < most; at += 1) body.append(Buffer.alloc(length));
    expect(failures).toEqual([]);
    body.append(Buffer.alloc(length));
    expect(failures).toMatchObject([{ errorName: 'content_too_large' }]);
    expect(bodies.bytes).toBe(0);
  });
});

describe('bodies together', () => {
  const limits = { bytes: 1_000, small: 100 };

  test('beyond their limit the one that began first goes, and never one that is whole', () => {
    const bodies = new RequestBodies(limits);
    const refused: string[] = [];
    const arriving = (name: string, length: number) => {
      const body = bodies.open(({ errorName }) => refused.push(`${name} ${errorName}`));
      body.append(Buffer.alloc(length));
      return body;
    };
    const whole = arriving('whole', 400);
    whole.whole();
    arriving('small', 100);
    const second = arriving('second', 300);
    arriving('third', 200);
    second.append(Buffer.alloc(100));
    expect(refused).toEqual([]);
    arriving('fourth', 101);
    expect(refused).toEqual(['second service_unavailable']);
    expect(bodies.bytes).toBe(701);
    // With nothing else to refuse it is its own turn.
    arriving('fifth', 601);
    expect(refused.slice(1)).toEqual(['third', 'fourth', 'fifth'].map((name) => `${name} service_unavailable`));
    expect(bodies.bytes).toBe(400);
    whole.release();
    expect(bodies.bytes).toBe(0);
  });
});

describe('at the gateway', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ environment: { KEYLESS_PER_MINUTE: '0' } });
  });
  afterAll(() => gateway.close());

  test.each(['/graphql', '/v1/webhooks'])('a body of a byte a chunk is refused (%s)', async (path) => {
    const { key } = await gateway.workspace();
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n`;
    const body = '1\r\n \r\n'.repeat(maxBodyChunks + 1);
    const text = await sendBytes(gateway.address, `${head}transfer-encoding: chunked\r\n\r\n${body}`);
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(text).toContain(`at most ${maxBodyChunks} chunks`);
  });

  test('clients that send large bodies and stop take no more memory than all may, and hold nobody up', async () => {
    const length = 1_000_000;
    const count = Math.ceil(bodyLimits.bytes / length) + 20;
    const answers: string[] = [];
    const sockets = Array.from({ length: count }, () => {
      const socket = connect(Number(new URL(gateway.address).port), '127.0.0.1').setEncoding('latin1');
      socket.on('data', (text: string) => answers.push(text.slice(0, 12))).on('error', () => undefined);
      socket.write(
        `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length + 1}\r\n\r\n`,
      );
      socket.write(Buffer.alloc(length, ' '));
      return socket;
    });
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await expect.poll(() => answers.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(17);
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 503']));
    const query = `{ __typename ${'#'.repeat(200_000)}\n }`;
    const response = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  });
});
