/**
 * The least that a gateway could do: node:http and undici. `bytes` forwards the answer, `json` parses and prints it. It
 * checks no key and writes no log.
 */
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [, , upstream, mode] = process.argv;
const pool = new Pool(upstream, { connections: 64, pipelining: 1 });

/** The page that a request of the benchmark is about. */
const pathOf = (text) =>
  `/v1/users/${text.includes('"of":"PHO') ? 'PHO1' : 'ACo1'}/posts?account_id=a&limit=${text.includes('first: 100') ? 100 : 10}`;

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const path = pathOf(Buffer.concat(chunks).toString());
    const { body } = await pool.request({ method: 'GET', path, headers: { 'x-api-key': 'key' } });
    response.setHeader('content-type', 'application/json');
    if (mode === 'bytes') response.end(Buffer.from(await body.arrayBuffer()));
    else response.end(JSON.stringify(JSON.parse(await body.text())));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
