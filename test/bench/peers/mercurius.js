/** Mercurius with its JIT, over undici. Its log has a line for each request, as Postern's. */
import Fastify, { LogController } from 'fastify';
import { GraphQLScalarType } from 'graphql';
import mercurius from 'mercurius';
import { Pool } from 'undici';
import { resolvers, typeDefs } from './schema.js';

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

const { DateTime, ...types } = resolvers(client);
const app = Fastify({ logger: true, logController: new LogController({ disableRequestLogging: true }) });
app.addHook('onResponse', async (request, reply) => {
  request.log.info(
    { method: request.method, path: request.url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
    'request',
  );
});
app.register(mercurius, {
  schema: typeDefs,
  resolvers: {
    ...Object.fromEntries(
      Object.entries(types).map(([name, { __resolveType, ...fields }]) => [
        name,
        __resolveType === undefined ? fields : { resolveType: __resolveType },
      ]),
    ),
    DateTime: new GraphQLScalarType({ name: 'DateTime', ...DateTime }),
  },
  jit: 1,
});
process.send(await app.listen({ port: 0, host: '127.0.0.1' }));
