/** Apollo Server with @apollo/datasource-rest. */
import { RESTDataSource } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { GraphQLScalarType } from 'graphql';
import { resolvers, typeDefs } from './schema.js';

class Posts extends RESTDataSource {
  baseURL = `${process.argv[2]}/v1/`;

  list({ accountId, identifier, first }) {
    return this.get(`users/${encodeURIComponent(identifier)}/posts`, {
      params: { account_id: accountId, limit: String(first) },
    });
  }

  willSendRequest(_path, request) {
    request.headers['x-api-key'] = 'key';
  }
}

const { DateTime, ...types } = resolvers((args, { posts }) => posts.list(args));
const server = new ApolloServer({
  typeDefs,
  resolvers: {
    ...types,
    DateTime: new GraphQLScalarType({ name: 'DateTime', ...DateTime }),
  },
  introspection: false,
});
const { url } = await startStandaloneServer(server, {
  listen: { port: 0, host: '127.0.0.1' },
  context: async () => ({ posts: new Posts({ cache: server.cache }) }),
});
process.send(url.replace(/\/$/, ''));
