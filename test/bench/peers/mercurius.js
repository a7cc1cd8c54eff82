/** Mercurius with its JIT, over undici. */
import { Pool } from 'undici';
import { resolvers } from './schema.js';
import { serve } from './serve-mercurius.js';

const pool = new Pool(process.argv[2], { connections: 64, pipelining: 1 });

async function call(method, path, request) {
  const { body } = await pool.request({
    method,
    path: `/v1/${path}`,
    headers: { 'x-api-key': 'key', ...(request === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(request === undefined ? {} : { body: JSON.stringify(request) }),
  });
  return body.json();
}

const client = {
  list: ({ accountId, identifier, first }) =>
    call(
      'GET',
      `users/${encodeURIComponent(identifier)}/posts?${new URLSearchParams({ account_id: accountId, limit: String(first) })}`,
    ),
  edit: (jobId, request) => call('PATCH', `pnet/jobs/${encodeURIComponent(jobId)}`, request),
};

await serve(resolvers(client));
