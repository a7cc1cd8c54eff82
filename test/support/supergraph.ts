/**
 * A supergraph: a running gateway in front of a running Postern and of a second subgraph, which gives fields of its own to
 * accounts, job postings and the posts of all networks.
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { composeServices as composeWithApollo } from '@apollo/composition';
import { ApolloGateway, type GraphQLDataSourceProcessOptions, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { composeServices as composeWithGuild } from '@theguild/federation-composition';
import { type ExecutionArgs, type ExecutionResult, GraphQLError, parse } from 'graphql';
import { createYoga } from 'graphql-yoga';

export interface Running extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/graphql` */
  readonly url: string;
}

/** What the second subgraph refers to. */
export interface Task {
  readonly jobId: string;
  readonly accountId: string;
}

export interface TasksSubgraph extends Running {
  /** How many objects each of its `_entities` fields was asked for. */
  readonly batches: number[];
  tasks: readonly Task[];
  /** Global ids of posts. */
  bookmarks: readonly string[];
}

export const tasksSdl = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@interfaceObject"])

  type Query {
    tasks: [Task!]!
    bookmarks: [NetworkPost!]!
  }

  type Task {
    title: String!
    posting: PnetJobPosting
    account: Account
  }

  type Account @key(fields: "accountId") {
    accountId: ID!
    owner: String!
  }

  type PnetJobPosting @key(fields: "jobId") {
    jobId: ID!
    applicants: Int!
  }

  type NetworkPost @key(fields: "id") @interfaceObject {
    id: ID!
    bookmarked: Boolean!
  }

  type PageInfo @shareable {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
    endCursor: String
  }
`;

/** Starts the subgraph. Its fields follow from the ids, so that a test knows them. */
export async function startTasks(): Promise<TasksSubgraph> {
  const state: Omit<TasksSubgraph, keyof Running> = { tasks: [], bookmarks: [], batches: [] };
  const schema = buildSubgraphSchema([
    {
      typeDefs: parse(tasksSdl),
      resolvers: {
        Query: { tasks: () => state.tasks, bookmarks: () => state.bookmarks.map((id) => ({ id })) },
        Task: {
          title: ({ jobId }: Task) => `Task of ${jobId}`,
          posting: ({ jobId }: Task) => ({ jobId }),
          account: ({ accountId }: Task) => ({ accountId }),
        },
        Account: { owner: ({ accountId }: { accountId: string }) => `owner of ${accountId}` },
        PnetJobPosting: { applicants: ({ jobId }: { jobId: string }) => jobId.length },
        NetworkPost: { bookmarked: ({ id }: { id: string }) => state.bookmarks.includes(id) },
      },
    },
  ]);
  const yoga = createYoga({
    schema,
    logging: false,
    plugins: [
      {
        onExecute({ args }: { args: ExecutionArgs }) {
          const representations: unknown = args.variableValues?.representations;
          if (Array.isArray(representations)) state.batches.push(representations.length);
        },
      },
    ],
  });
  return Object.assign(state, await listen(yoga));
}

async function listen(listener: RequestListener): Promise<Running> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface ComposedSubgraph {
  readonly name: string;
  readonly url: string;
  readonly sdl: string;
}

/** The supergraph that a composer makes. */
export type Compose = (subgraphs: readonly ComposedSubgraph[]) => string;

const typeDefs = (subgraphs: readonly ComposedSubgraph[]) =>
  subgraphs.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) }));

export const composers: Readonly<Record<string, Compose>> = {
  '@apollo/composition'(subgraphs) {
    const { supergraphSdl, errors } = composeWithApollo(typeDefs(subgraphs));
    return composed(supergraphSdl, errors);
  },
  '@theguild/federation-composition'(subgraphs) {
    const { supergraphSdl, errors } = composeWithGuild(typeDefs(subgraphs));
    return composed(supergraphSdl, errors);
  },
};

function composed(supergraph: string | undefined, errors: readonly Error[] = []): string {
  if (supergraph === undefined) throw new AggregateError(errors, errors.map(({ message }) => message).join('\n'));
  return supergraph;
}

/** The schema of a running subgraph, as `rover subgraph introspect` reads it. */
export async function sdlOf(url: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'query { _service { sdl } }' }),
  });
  const { data } = (await response.json()) as { data: { _service: { sdl: string } } };
  return data._service.sdl;
}

/** Gateways, each as its own documentation starts it. All hand on who calls. */
export const supergraphGateways: Readonly<Record<string, (supergraph: string) => Promise<Running>>> = {
  async 'Hive Gateway'(supergraph) {
    const gateway = createGatewayRuntime({
      supergraph,
      logging: false,
      propagateHeaders: {
        fromClientToSubgraphs: ({ request }) => ({ authorization: request.headers.get('authorization') ?? '' }),
      },
    });
    const running = await listen(gateway);
    return {
      url: running.url,
      async [Symbol.asyncDispose]() {
        await running[Symbol.asyncDispose]();
        await gateway[Symbol.asyncDispose]();
      },
    };
  },
  async 'Apollo Gateway'(supergraphSdl) {
    const gateway = new ApolloGateway({ supergraphSdl, buildService: ({ url = '' }) => new Subgraph({ url }) });
    const server = new ApolloServer<Client>({ gateway, includeStacktraceInErrorResponses: false });
    const { url } = await startStandaloneServer(server, {
      listen: { host: '127.0.0.1', port: 0 },
      context: async ({ req }) => ({ authorization: req.headers.authorization }),
    });
    return { url, [Symbol.asyncDispose]: () => server.stop() };
  },
};

interface Client {
  readonly authorization?: string | undefined;
}

class Subgraph extends RemoteGraphQLDataSource<Client> {
  override willSendRequest({ request, context }: GraphQLDataSourceProcessOptions<Client>): void {
    if (context.authorization !== undefined) request.http?.headers.set('authorization', context.authorization);
  }

  /** Apollo has errors of its own for a status of 401 and the like. Those of the subgraph say more. */
  override async errorFromResponse(
    response: Parameters<RemoteGraphQLDataSource['errorFromResponse']>[0],
  ): Promise<GraphQLError> {
    const error = await super.errorFromResponse(response);
    const { errors: [first] = [] } = (error.extensions.response as { body: ExecutionResult }).body;
    return first === undefined ? error : new GraphQLError(first.message, { extensions: first.extensions });
  }
}
