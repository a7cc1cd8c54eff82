/** Clients that break the compiled way on purpose: they come all at once, and do not read. */
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { json, pnetPost, postList, type Respond } from '../support/stub.ts';
import { sendTo, startBothWays } from './both-ways.ts';

function bytesOf(request: object): string {
  const text = JSON.stringify(request);
  return `POST /graphql HTTP/1.1\r\nhost: x\r\nx-api-key: their-key\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** A connection that sends a request, and reads nothing until it is resumed. */
async function silentClient(address: string, request: object): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(bytesOf(request));
  return socket;
}

/** What a socket gets until a response has ended. */
async function readResponse(socket: Socket, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let got = 0;
  for await (const chunk of socket) {
    chunks.push(chunk);
    got += chunk.length;
    const end = Buffer.concat(chunks).indexOf('\r\n\r\n');
    if (end >= 0 && got >= end + 4 + length) break;
  }
  const all = Buffer.concat(chunks);
  return all.subarray(all.indexOf('\r\n\r\n') + 4);
}

test('responses are not mixed up, however slowly they are read', { timeout: 60_000 }, async () => {
  // Each list has a text of its own, large enough that it waits in the socket.
  const textOf = (list: number) => `${list}-`.repeat(150_000);
  const respond: Respond = ({ path }, response) => {
    const list = Number(/users\/(\d+)\//.exec(path)?.[1]);
    json(response, 200, postList([pnetPost('1', { text: textOf(list) })]));
  };
  const both = await startBothWays(respond);
  const requestOf = (list: number) => ({
    query: `{ posts(accountId: "a1", identifier: "${list}", isCompany: true) { nodes { ... on PnetPost { text } } } }`,
  });
  // More than may wait in the memory of their kernels.
  const clients = await Promise.all(
    Array.from({ length: 80 }, (_, at) => silentClient(both.on.address, requestOf(at + 10))),
  );
  await expect.poll(() => both.stub.received.length).toBe(80);
  // Meanwhile others are served, out of the memory of kernels that are free.
  for (let at = 0; at < 5; at += 1) {
    const { body: text } = await sendTo(both.on, { body: requestOf(7) });
    expect(JSON.parse(text).data.posts.nodes[0].text).toBe(textOf(7));
  }
  for (const [at, client] of clients.entries()) {
    const expected = JSON.stringify({ data: { posts: { nodes: [{ text: textOf(at + 10) }] } } });
    const came = await readResponse(client, expected.length);
    expect(came.equals(Buffer.from(expected))).toBe(true);
  }
});
