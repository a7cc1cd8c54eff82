/** Apollo Server with @apollo/datasource-rest. Its log has a line for each request, as Postern's. */
import { RESTDataSource } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { GraphQLScalarType } from 'graphql';
import { pino } from 'pino';
import { resolvers, typeDefs } from './schema.js';

class Service extends RESTDataSource {
  baseURL = `${process.argv[2]}/v1/`;

  list({ accountId, identifier, first }) {
    return this.get(`users/${encodeURIComponent(identifier)}/posts`, {
      params: { account_id: accountId, limit: String(first) },
    });
  }

  edit(jobId, request) {
    return this.patch(`pnet/jobs/${encodeURIComponent(jobId)}`, { body: request });
  }

  willSendRequest(_path, request) {
    request.headers['x-api-key'] = 'key';
  }
}

const logger = pino();
const logRequests = {
  async requestDidStart() {
    const started = performance.now();
    return {
      async willSendResponse({ response }) {
        logger.info({ status: response.http.status ?? 200, ms: Math.round(performance.now() - started) }, 'request');
      },
    };
  },
};

const { DateTime, ...types } = resolvers({
  list: (args, { service }) => service.list(args),
  edit: (jobId, request, { service }) => service.edit(jobId, request),
});
const server = new ApolloServer({
  typeDefs,
  resolvers: {
    ...types,
    DateTime: new GraphQLScalarType({ name: 'DateTime', ...DateTime }),
  },
  plugins: [logRequests],
  introspection: false,
});
const { url } = await startStandaloneServer(server, {
  listen: { port: 0, host: '127.0.0.1' },
  context: async () => ({ service: new Service({ cache: server.cache }) }),
});
process.send(url.replace(/\/$/, ''));
