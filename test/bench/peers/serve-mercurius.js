/** Mercurius with its JIT. Its log has a line for each request, as Postern's. */
import Fastify, { LogController } from 'fastify';
import { GraphQLScalarType } from 'graphql';
import mercurius from 'mercurius';
import { typeDefs } from './schema.js';

/** Tells the parent where it listens. @param resolvers of schema.js, or others of the same form */
export async function serve({ DateTime, ...types }) {
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
}
