/** Mercurius with its JIT, over undici. */
import Fastify from 'fastify';
import { GraphQLScalarType } from 'graphql';
import mercurius from 'mercurius';
import { Pool } from 'undici';
import { resolvers, typeDefs } from './schema.js';

const pool = new Pool(process.argv[2], { connections: 64, pipelining: 1 });

async function read({ accountId, identifier, first }) {
  const query = new URLSearchParams({ account_id: accountId, limit: String(first) });
  const { body } = await pool.request({
    method: 'GET',
    path: `/v1/users/${encodeURIComponent(identifier)}/posts?${query}`,
    headers: { 'x-api-key': 'key' },
  });
  return body.json();
}

const { DateTime, Post, PnetPostAttachment, ...types } = resolvers(read);
const app = Fastify();
app.register(mercurius, {
  schema: typeDefs,
  resolvers: {
    ...types,
    Post: { resolveType: Post.__resolveType },
    PnetPostAttachment: { resolveType: PnetPostAttachment.__resolveType },
    DateTime: new GraphQLScalarType({ name: 'DateTime', ...DateTime }),
  },
  jit: 1,
});
process.send(await app.listen({ port: 0, host: '127.0.0.1' }));
