/** The upstream of the benchmark. Its pages are serialized in advance, so that it costs next to nothing. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { page } from './page.ts';

const pages = new Map([10, 100].map((count) => [String(count), page(count)]));

const server = createServer((request, response) => {
  const limit = new URL(request.url ?? '', 'http://x').searchParams.get('limit') ?? '100';
  const body = pages.get(limit) ?? pages.get('100');
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body?.length }).end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
